/** Lets a client's writes out only while they may be made: by the leader, say. Reads do not pass through it. */
export interface Fence {
  /**
   * Throws if no write may be made at this moment. Asked when a write begins, and again right before each try of it is handed to
   * its socket, so it must be quick.
   */
  check(): void;
  /** Aborts when no write may be made any more. Writes that wait or are under way are given up then. */
  readonly signal: AbortSignal;
  /** The error of a write that was not let out. `cause` is what `check` threw or why the signal aborted. */
  refused(write: RefusedWrite, cause: unknown): Error;
}

/** A write that a {@link Fence} did not let out, or that was given up. */
export interface RefusedWrite {
  /** What was attempted, for messages: `update Pod web/shop-0`. */
  readonly what: string;
  /** Whether the server may have done it: it was under way when it was given up. */
  readonly wasSent: boolean;
}
