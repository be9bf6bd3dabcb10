/**
 * Base class of errors that callers may want to handle. Plain `Error`s indicate a mistake in the program or in a
 * library.
 *
 * `code` identifies the type of the error in logs, and also between different copies of a package, where `instanceof`
 * does not work. It is the HTTP status of a response, or a constant such as `ERR_NOT_LEADING`. Each subclass has a
 * guard named after it, such as `isNotLeadingError(error)`.
 */
export abstract class KubewrightError<Code extends string | number = string> extends Error {
  abstract readonly code: Code;
}

/** Returns a guard that recognizes the errors of a class by their `code`, even if they come from another copy of the package. */
export const isErrorWithCode =
  <E extends KubewrightError>(code: E["code"]) =>
  (error: unknown): error is E =>
    error instanceof Error && "code" in error && error.code === code;
