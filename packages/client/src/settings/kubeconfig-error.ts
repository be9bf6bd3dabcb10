/** Thrown if no connection can be made because a kubeconfig is invalid or missing. The message is one line: file, field, problem. */
export class KubeConfigError extends Error {
  override readonly name = "KubeConfigError";
}

/**
 * Reports whether an error itself is a {@link KubeConfigError}. For one that may be wrapped, use `findCause(error, isKubeConfigError)`.
 */
export const isKubeConfigError = (error: unknown): error is KubeConfigError => error instanceof KubeConfigError;
