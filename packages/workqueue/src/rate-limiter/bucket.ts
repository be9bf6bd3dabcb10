import type { RateLimiter } from "./rate-limiter.ts";
import { TokenBucket, type TokenBucketOptions } from "./token-bucket.ts";

/**
 * At most `qps` retries a second of all items together, `burst` of them at once. It keeps no count for an item.
 *
 * @throws {RangeError} if `qps` is not positive or `burst` is below 1
 * @see client-go util/workqueue/default_rate_limiters.go TypedBucketRateLimiter
 */
export function bucket(options: TokenBucketOptions): RateLimiter {
  const tokens = new TokenBucket(options);
  return { when: () => tokens.reserve(), forget: () => {}, numRequeues: () => 0 };
}
