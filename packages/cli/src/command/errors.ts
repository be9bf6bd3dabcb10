/** Wrong flags or arguments, or the wrong folder. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A check or an operation failed: something is stale, different, in conflict or broken. Exit code 1. */
export class NotSoError extends Error {
  override readonly name = "NotSoError";
}
