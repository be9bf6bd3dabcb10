import { FailureCount } from "./failure-count.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Delays of {@link fastSlow}, in milliseconds. */
export interface FastSlowOptions {
  /** Delay of the first tries. */
  readonly fastMs: number;
  /** Delay of all later tries. */
  readonly slowMs: number;
  /** Number of tries with `fastMs`; later ones use `slowMs`. */
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
 * Returns a rate limiter with a few fast retries per item, then slow ones.
 *
 * @see client-go util/workqueue/default_rate_limiters.go TypedItemFastSlowRateLimiter
 */
export const fastSlow = (options: FastSlowOptions): RateLimiter => new FastSlow(options);
