import type { RateLimiter } from "./rate-limiter.ts";

/**
 * Returns a rate limiter that queries every given limiter each time and uses the longest delay.
 *
 * @see client-go util/workqueue/default_rate_limiters.go TypedMaxOfRateLimiter
 */
export function maxOf<T = unknown>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> {
  return {
    when: (item) => Math.max(0, ...limiters.map((limiter) => limiter.when(item))),
    forget: (item) => {
      for (const limiter of limiters) limiter.forget(item);
    },
    numRequeues: (item) => Math.max(0, ...limiters.map((limiter) => limiter.numRequeues(item))),
  };
}
