import type { RateLimiter } from "./rate-limiter.ts";

/**
 * Asks every limiter each time and waits as long as the strictest one says.
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
