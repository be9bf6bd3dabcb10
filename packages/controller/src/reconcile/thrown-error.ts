import { inspect } from "node:util";
import { errorText, isReadableError, shownError } from "@kubewright/log";

const longestShown = 4_000;

/** Returns an error for anything that was thrown, `undefined` too. Its name, message, stack and cause can be read; its causes' may not. */
export const thrownError = (thrown: unknown): Error =>
  isReadableError(thrown)
    ? thrown
    : new Error(`not an error was thrown, but ${inspect(shownError(thrown)).slice(0, longestShown)}`, {
        cause: thrown,
      });

/** The error that stands for a mistake that was survived. */
export const recovered = (error: unknown): Error =>
  new Error(`panic: ${errorText(error)} [recovered]`, { cause: error });
