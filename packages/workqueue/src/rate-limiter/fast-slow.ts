import { FailureCount } from "./failure-count.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** The two delays of {@link fastSlow}, in milliseconds. */
export interface FastSlowOptions {
  /** The delay of the first tries. */
  readonly fastMs: number;
  /** The delay of those after them. */
  readonly slowMs: number;
  /** How many tries wait `fastMs`; later ones wait `slowMs`. */
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
 * A few quick retries of an item, then slow ones.
 *
 * @see client-go util/workqueue/default_rate_limiters.go TypedItemFastSlowRateLimiter
 */
export const fastSlow = (options: FastSlowOptions): RateLimiter => new FastSlow(options);
