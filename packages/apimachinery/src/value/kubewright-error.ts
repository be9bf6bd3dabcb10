/**
 * Base class of the errors that these packages throw for a caller to handle. Other errors are plain `Error`s: a mistake in the program, or
 * the error of a library.
 *
 * `code` identifies the error in logs and across several copies of a package, where `instanceof` fails: the HTTP status of a response, or
 * a constant such as `ERR_NOT_LEADING`. Each subclass has a guard of its name: `isNotLeadingError(error)`.
 */
export abstract class KubewrightError<Code extends string | number = string> extends Error {
  abstract readonly code: Code;
}

/** Returns a guard that accepts the errors of a class by their `code`, also those of another copy of the package. */
export const isErrorWithCode =
  <E extends KubewrightError>(code: E["code"]) =>
  (error: unknown): error is E =>
    error instanceof Error && "code" in error && error.code === code;
