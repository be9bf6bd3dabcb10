import { findCause } from "@kubewright/apimachinery";
import { errorText, isReadableError } from "@kubewright/log";

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
  return isReadableError(cause) ? `terminal error: ${errorText(cause)}` : errorText(cause);
};

/** Whether the error, or one that it was caused by, is a {@link TerminalError}. */
export const isTerminalError = (error: unknown): boolean =>
  findCause(error, (cause): cause is TerminalError => cause instanceof TerminalError) !== undefined;
