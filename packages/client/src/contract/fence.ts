/** Allows a client's writes only under a condition, for example leadership. Reads do not pass through it. */
export interface Fence {
  /**
   * Throws if writes are not allowed at this moment. Called when a write begins, and again right before each try is written to its socket,
   * so it must be fast.
   */
  check(): void;
  /** Aborts when writes are no longer allowed. Waiting writes and writes in progress are then cancelled. */
  readonly signal: AbortSignal;
  /** Returns the error for a write that was not allowed. `cause` is the error of `check` or the reason of the signal. */
  refused(write: RefusedWrite, cause: unknown): Error;
}

/** A write that a {@link Fence} did not allow, or that was cancelled. */
export interface RefusedWrite {
  /** Description of the write, for messages: `update Pod web/shop-0`. */
  readonly what: string;
  /** True if the server may have processed the write, because it was in progress when it was cancelled. */
  readonly wasSent: boolean;
}
