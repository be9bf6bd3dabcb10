/**
 * Determines the delay of retries.
 *
 * @see client-go util/workqueue TypedRateLimiter
 */
export interface RateLimiter<T = unknown> {
  /** Counts a try of an item and returns its delay in milliseconds. */
  when(item: T): number;
  /** Resets an item: it succeeded, or will not be tried again. */
  forget(item: T): void;
  /** Returns the number of tries of an item that were counted since it was last forgotten. */
  numRequeues(item: T): number;
}
