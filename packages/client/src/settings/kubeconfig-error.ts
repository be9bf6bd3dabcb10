/** No connection can be made from a kubeconfig, or for lack of one. The message is one line: the file, the field, what is wrong. */
export class KubeConfigError extends Error {
  override readonly name = "KubeConfigError";
}

/** Whether this very error is a {@link KubeConfigError}. One that may be wrapped: `findCause(error, isKubeConfigError)`. */
export const isKubeConfigError = (error: unknown): error is KubeConfigError => error instanceof KubeConfigError;
