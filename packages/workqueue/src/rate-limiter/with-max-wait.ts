import type { RateLimiter } from "./rate-limiter.ts";

/**
 * Returns a rate limiter whose delays are limited to `maxMs`.
 *
 * @see client-go util/workqueue/default_rate_limiters.go TypedWithMaxWaitRateLimiter
 */
export function withMaxWait<T = unknown>(limiter: RateLimiter<T>, maxMs: number): RateLimiter<T> {
  return {
    when: (item) => Math.min(limiter.when(item), maxMs),
    forget: (item) => limiter.forget(item),
    numRequeues: (item) => limiter.numRequeues(item),
  };
}
