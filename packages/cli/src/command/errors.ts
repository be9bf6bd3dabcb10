/** Thrown if flags or arguments are wrong, or if the command runs in the wrong folder. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Thrown when a check or an operation fails, for example because files are stale, differ, conflict or are broken. The exit code is 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
