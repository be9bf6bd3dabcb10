/**
 * Decides how long a retry has to wait.
 *
 * @see client-go util/workqueue TypedRateLimiter
 */
export interface RateLimiter<T = unknown> {
  /** Counts a try of an item and says how many milliseconds it has to wait. */
  when(item: T): number;
  /** Starts an item over: it succeeded, or nobody will try it again. */
  forget(item: T): void;
  /** How many tries of an item have been counted since it was last forgotten. */
  numRequeues(item: T): number;
}
