import type { Clock } from "@kubewright/clock";
import { TokenBucket, type TokenBucketOptions } from "./token-bucket.ts";

/**
 * Determines how long to delay retries.
 *
 * @see client-go util/workqueue TypedRateLimiter
 */
export interface RateLimiter<T = unknown> {
  /** Counts an attempt for an item and returns the item's delay in milliseconds. */
  when(item: T): number;
  /** Resets an item, because it succeeded or will not be tried again. */
  forget(item: T): void;
  /** Returns the number of an item's attempts since it was last forgotten. */
  numRequeues(item: T): number;
}

/**
 * Returns the default rate limiter for controllers. Each item's delay doubles from 5 ms up to 1,000 s. Overall, retries are limited to 10
 * per second, with a burst of 100.
 *
 * @see client-go util/workqueue DefaultTypedControllerRateLimiter
 */
export const defaultControllerRateLimiter = (options: { readonly clock?: Clock | undefined } = {}): RateLimiter =>
  maxOf(exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), bucket({ qps: 10, burst: 100, clock: options.clock }));

/**
 * Returns a rate limiter without an overall limit. Each item's delay doubles from 1 ms up to 1,000 s.
 *
 * @see client-go util/workqueue DefaultTypedItemBasedRateLimiter
 */
export const defaultItemBasedRateLimiter = (): RateLimiter => exponentialFailure({ baseMs: 1, maxMs: 1_000_000 });

/** A rate limiter whose delays depend on the number of an item's previous failures. */
abstract class FailureCount implements RateLimiter {
  readonly #failures = new Map<unknown, number>();

  protected abstract delayAfter(failures: number): number;

  when(item: unknown): number {
    const failures = this.numRequeues(item);
    this.#failures.set(item, failures + 1);
    return this.delayAfter(failures);
  }

  forget(item: unknown): void {
    this.#failures.delete(item);
  }

  numRequeues(item: unknown): number {
    return this.#failures.get(item) ?? 0;
  }
}

/** Options for {@link exponentialFailure}. Delays are in milliseconds. */
export interface ExponentialFailureOptions {
  /** Delay after the first failure. Must be above 0. */
  readonly baseMs: number;
  /** Maximum delay. Must be at least `baseMs`. */
  readonly maxMs: number;
}

class ExponentialFailure extends FailureCount {
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor({ baseMs, maxMs }: ExponentialFailureOptions) {
    super();
    if (!(baseMs > 0)) throw new RangeError(`baseMs must be positive, got ${baseMs}`);
    if (!(maxMs >= baseMs)) throw new RangeError(`maxMs must not be below baseMs, got ${maxMs} < ${baseMs}`);
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  protected override delayAfter(failures: number): number {
    return Math.min(this.#maxMs, this.#baseMs * 2 ** failures);
  }
}

/**
 * Returns a rate limiter that doubles an item's delay with each failure: `min(maxMs, baseMs * 2 ** failures)`. `forget` resets it.
 *
 * @throws {RangeError} if `baseMs` is not positive or exceeds `maxMs`
 * @see client-go util/workqueue/default_rate_limiters.go TypedItemExponentialFailureRateLimiter
 */
export const exponentialFailure = (options: ExponentialFailureOptions): RateLimiter => new ExponentialFailure(options);

/** Options for {@link fastSlow}. Delays are in milliseconds. */
export interface FastSlowOptions {
  /** Delay of the first attempts. */
  readonly fastMs: number;
  /** Delay of all later attempts. */
  readonly slowMs: number;
  /** Number of attempts that use `fastMs`. Later ones use `slowMs`. */
  readonly maxFastAttempts: number;
}

class FastSlow extends FailureCount {
  readonly #options: FastSlowOptions;

  constructor(options: FastSlowOptions) {
    super();
    this.#options = options;
  }

  protected override delayAfter(failures: number): number {
    const { fastMs, slowMs, maxFastAttempts } = this.#options;
    return failures < maxFastAttempts ? fastMs : slowMs;
  }
}

/**
 * Returns a rate limiter with a short delay for an item's first retries and a longer delay for later ones.
 *
 * @see client-go util/workqueue/default_rate_limiters.go TypedItemFastSlowRateLimiter
 */
export const fastSlow = (options: FastSlowOptions): RateLimiter => new FastSlow(options);

/**
 * Returns a rate limiter that limits retries across all items to `qps` per second, with bursts of up to `burst`. Does
 * not count failures per item.
 *
 * @throws {RangeError} if `qps` is not positive or `burst` is below 1
 * @see client-go util/workqueue/default_rate_limiters.go TypedBucketRateLimiter
 */
export function bucket(options: TokenBucketOptions): RateLimiter {
  const tokens = new TokenBucket(options);
  return { when: () => tokens.reserve(), forget: () => {}, numRequeues: () => 0 };
}

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

/**
 * Wraps a rate limiter and limits its delays to `maxMs`.
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
