import { inspect } from "node:util";
import { isReadableError, panicText, shownError } from "@kubewright/log";

const longestShown = 4_000;

/** Returns an error for anything that was thrown, `undefined` too. Its name, message, stack and cause can be read; its causes' may not. */
export const thrownError = (thrown: unknown): Error =>
  isReadableError(thrown)
    ? thrown
    : new Error(`not an error was thrown, but ${inspect(shownError(thrown)).slice(0, longestShown)}`, {
        cause: thrown,
      });

/** Returns the error that stands for a mistake that was survived. Its stack is that of the mistake, which begins with the author's frames. */
export function recovered(thrown: unknown): Error {
  const error = new Error(panicText(thrown), { cause: thrown });
  const stack = isReadableError(thrown) ? (thrown.stack ?? "") : "";
  const frames = stack.indexOf("\n    at ");
  if (frames >= 0) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  return error;
}
