/** Thrown for a change that was rolled back. The change is not tried again until a resource of the same batch changes. */
export class RolledBackError extends Error {
  override readonly name = "RolledBackError";
}

/** Thrown if a CNF has not answered since a change, so that the former objects cannot be put back. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}
