import { FailureCount } from "./failure-count.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Delays of {@link exponentialFailure}, in milliseconds. */
export interface ExponentialFailureOptions {
  /** Delay after the first failure, above 0. */
  readonly baseMs: number;
  /** Maximum delay; not below `baseMs`. */
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
 * Doubles an item's delay with each failure: `min(maxMs, baseMs * 2 ** failures)`. `forget` resets it.
 *
 * @throws {RangeError} if `baseMs` is not positive or exceeds `maxMs`
 * @see client-go util/workqueue/default_rate_limiters.go TypedItemExponentialFailureRateLimiter
 */
export const exponentialFailure = (options: ExponentialFailureOptions): RateLimiter => new ExponentialFailure(options);
