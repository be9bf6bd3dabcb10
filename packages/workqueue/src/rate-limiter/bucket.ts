import type { RateLimiter } from "./rate-limiter.ts";
import { TokenBucket, type TokenBucketOptions } from "./token-bucket.ts";

/**
 * Limits retries of all items together to `qps` per second, with a burst of `burst`. It keeps no count per item.
 *
 * @throws {RangeError} if `qps` is not positive or `burst` is below 1
 * @see client-go util/workqueue/default_rate_limiters.go TypedBucketRateLimiter
 */
export function bucket(options: TokenBucketOptions): RateLimiter {
  const tokens = new TokenBucket(options);
  return { when: () => tokens.reserve(), forget: () => {}, numRequeues: () => 0 };
}
