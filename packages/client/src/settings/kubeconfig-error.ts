/** A kubeconfig, or the lack of one, that no connection can be made from. One line: the file, the field, what is wrong with it. */
export class KubeConfigError extends Error {
  override readonly name = "KubeConfigError";
}

export const isKubeConfigError = (error: unknown): error is KubeConfigError => error instanceof KubeConfigError;
