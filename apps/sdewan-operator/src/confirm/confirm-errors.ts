/**
 * Thrown for a change that was rolled back. The change is not retried until a resource in the same batch changes.
 * `cause` is the CNF's error if the CNF rejected the former object; restoring that object is retried.
 */
export class RolledBackError extends Error {
  override readonly name = "RolledBackError";
}

/** Thrown if a CNF has not responded since a change, so that the former objects cannot be restored. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}
