/** What was asked for cannot be: wrong words, or the wrong place. Ends with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** It is not so: stale, different, in conflict, or broken. Ends with 1. */
export class NotSoError extends Error {
  override readonly name = "NotSoError";
}
