import { inspect } from "node:util";
import { isReadableError, panicText, shownError } from "@kubewright/log";

const longestShown = 4_000;

/**
 * Returns an error for any thrown value, including `undefined`. Its name, message, stack and cause are readable; those of its causes may
 * not be.
 */
export const thrownError = (thrown: unknown): Error =>
  isReadableError(thrown)
    ? thrown
    : new Error(`a value that is not an error was thrown: ${inspect(shownError(thrown)).slice(0, longestShown)}`, {
        cause: thrown,
      });

/** Returns the error for a recovered programming error. Its stack is that of the original error, which begins with the author's frames. */
export function recovered(thrown: unknown): Error {
  const error = new Error(panicText(thrown), { cause: thrown });
  const stack = isReadableError(thrown) ? (thrown.stack ?? "") : "";
  const frames = stack.indexOf("\n    at ");
  if (frames >= 0) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  return error;
}
