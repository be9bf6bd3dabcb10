/**
 * Retrying cannot help, so the request is not queued again until something changes.
 *
 * @see controller-runtime pkg/reconcile TerminalError
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";

  /** @param cause what happened; its message becomes this error's */
  constructor(cause?: unknown, options: ErrorOptions = {}) {
    super(messageOf(cause), { cause, ...options });
  }
}

const messageOf = (cause: unknown): string => {
  if (cause === undefined || cause === null) return "nil terminal error";
  return cause instanceof Error ? `terminal error: ${cause.message}` : String(cause);
};

/** Whether the error, or one that it was caused by, is a {@link TerminalError}. */
export function isTerminalError(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof TerminalError) return true;
  }
  return false;
}
