import { inspect } from "node:util";
import { findCause, isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import { errorText, isReadableError, panicText, shownError } from "@kubewright/log";

/**
 * Thrown by a reconciler if a retry cannot succeed. The request is not queued again until something changes.
 *
 * @see controller-runtime pkg/reconcile TerminalError
 */
export class TerminalError extends KubewrightError {
  override readonly name = "TerminalError";
  readonly code = "ERR_TERMINAL";

  /** @param cause the original error or value, whose message becomes part of this error's message */
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
  findCause(error, isErrorWithCode<TerminalError>("ERR_TERMINAL")) !== undefined;

/** Maximum length of the text for a thrown value that is not an error. */
const longestShown = 4_000;

/**
 * Converts any thrown value, including `undefined`, to an error. Reading the error's name, message, stack and cause
 * never throws; reading further causes may.
 */
export const thrownError = (thrown: unknown): Error =>
  isReadableError(thrown)
    ? thrown
    : new Error(`a value that is not an error was thrown: ${inspect(shownError(thrown)).slice(0, longestShown)}`, {
        cause: thrown,
      });

/**
 * Returns the error to report for a recovered programming error. It keeps the original stack, whose first frames are in
 * the program's own code.
 */
export function recovered(thrown: unknown): Error {
  const error = new Error(panicText(thrown), { cause: thrown });
  const stack = isReadableError(thrown) ? (thrown.stack ?? "") : "";
  const frames = stack.indexOf("\n    at ");
  if (frames >= 0) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  return error;
}
