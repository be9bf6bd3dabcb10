import type { Clock } from "@kubewright/clock";
import { bucket } from "./bucket.ts";
import { exponentialFailure } from "./exponential-failure.ts";
import { maxOf } from "./max-of.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/**
 * Returns the default rate limiter of controllers: per item 5 ms doubling to 1,000 s, and 10 per second overall with a burst of 100.
 *
 * @see client-go util/workqueue DefaultTypedControllerRateLimiter
 */
export const defaultControllerRateLimiter = (options: { readonly clock?: Clock | undefined } = {}): RateLimiter =>
  maxOf(exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), bucket({ qps: 10, burst: 100, clock: options.clock }));

/**
 * Returns a rate limiter with a delay per item of 1 ms doubling to 1,000 s, and without an overall limit.
 *
 * @see client-go util/workqueue DefaultTypedItemBasedRateLimiter
 */
export const defaultItemBasedRateLimiter = (): RateLimiter => exponentialFailure({ baseMs: 1, maxMs: 1_000_000 });
