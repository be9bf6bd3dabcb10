/** Thrown for wrong flags or arguments, or in the wrong folder. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Thrown when a check or an operation fails because something is stale, different, in conflict or broken. The exit code is 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
