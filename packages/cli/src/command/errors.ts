import { onOneLine } from "./printable.ts";

/** Message of an error: one line, or several. Line ends within a line are replaced, because they could forge a line of output. */
type Lines = string | readonly string[];

const textOf = (lines: Lines): string => (typeof lines === "string" ? [lines] : lines).map(onOneLine).join("\n");

/** Thrown if flags or arguments are wrong, or if the command is run in the wrong folder. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: Lines, options?: ErrorOptions) {
    super(textOf(message), options);
  }
}

/** Thrown when a check or an operation fails, for example because files are stale, differ, conflict or are broken. The exit code is 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(message: Lines, options?: ErrorOptions) {
    super(textOf(message), options);
  }
}
