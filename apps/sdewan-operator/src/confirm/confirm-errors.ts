/**
 * Thrown for a change that was rolled back. The change is not retried until a resource in the same batch changes. `cause`: the CNF's error,
 * if it refuses the former object; putting that object back is retried.
 */
export class RolledBackError extends Error {
  override readonly name = "RolledBackError";
}

/** Thrown if a CNF has not responded since a change, and the former objects therefore cannot be restored. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}
