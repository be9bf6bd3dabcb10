import type { Clock } from "@kubewright/clock";
import { bucket } from "./bucket.ts";
import { exponentialFailure } from "./exponential-failure.ts";
import { maxOf } from "./max-of.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/**
 * What a controller uses unless told otherwise: per item 5 ms doubling to 1000 s, and 10 a second over all with bursts of 100.
 *
 * @see client-go util/workqueue DefaultTypedControllerRateLimiter
 */
export const defaultControllerRateLimiter = (options: { readonly clock?: Clock | undefined } = {}): RateLimiter =>
  maxOf(exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), bucket({ qps: 10, burst: 100, clock: options.clock }));

/**
 * Per item 1 ms doubling to 1000 s, without a limit over all.
 *
 * @see client-go util/workqueue DefaultTypedItemBasedRateLimiter
 */
export const defaultItemBasedRateLimiter = (): RateLimiter => exponentialFailure({ baseMs: 1, maxMs: 1_000_000 });
