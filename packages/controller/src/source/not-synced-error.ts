/** Thrown by a source that works, but will never deliver the objects that existed at the start. */
export class NotSyncedError extends Error {
  override readonly name = "NotSyncedError";
}
