import { findCause } from "@kubewright/apimachinery";
import { errorText, isReadableError } from "@kubewright/log";

/**
 * Thrown by a reconciler if retrying cannot help: the request is not queued again until something changes.
 *
 * @see controller-runtime pkg/reconcile TerminalError
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";

  /** @param cause the original error or value; its message becomes part of this error's */
  constructor(cause?: unknown, options: ErrorOptions = {}) {
    super(messageOf(cause), { cause, ...options });
  }
}

const messageOf = (cause: unknown): string => {
  if (cause === undefined || cause === null) return "nil terminal error";
  return isReadableError(cause) ? `terminal error: ${errorText(cause)}` : errorText(cause);
};

/** Reports whether the error, or one of its causes, is a {@link TerminalError}. */
export const isTerminalError = (error: unknown): boolean =>
  findCause(error, (cause): cause is TerminalError => cause instanceof TerminalError) !== undefined;
