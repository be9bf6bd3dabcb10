/** A source works, but what was there at the start has not come and will not. */
export class NotSyncedError extends Error {
  override readonly name = "NotSyncedError";
}
