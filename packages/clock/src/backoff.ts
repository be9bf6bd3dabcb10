import { systemRandom } from "./random.ts";

/** Options for a {@link Backoff}. */
export interface BackoffOptions {
  /** First delay in milliseconds. */
  readonly baseMs: number;
  /** Maximum delay in milliseconds, before jitter. Default: no maximum. */
  readonly maxMs?: number | undefined;
  /** Factor by which the delay grows. Default 2. */
  readonly factor?: number | undefined;
  /** Maximum random increase of each delay, as a fraction of the delay. Default 0. */
  readonly jitter?: number | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

/**
 * Computes the increasing delays between retries.
 *
 * @throws {RangeError} if `baseMs` is not positive, `maxMs` is less than `baseMs`, `factor` is less than 1 or `jitter` is negative
 * @see apimachinery util/wait Backoff
 */
export class Backoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #factor: number;
  readonly #jitter: number;
  readonly #random: () => number;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    const { baseMs, maxMs = Number.POSITIVE_INFINITY, factor = 2, jitter = 0, random = systemRandom.number } = options;
    if (!(baseMs > 0)) throw new RangeError(`baseMs must be positive, got ${baseMs}`);
    if (maxMs < baseMs) throw new RangeError(`maxMs must not be below baseMs, got ${maxMs} < ${baseMs}`);
    if (factor < 1) throw new RangeError(`factor must be at least 1, got ${factor}`);
    if (jitter < 0) throw new RangeError(`jitter must not be negative, got ${jitter}`);
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
    this.#factor = factor;
    this.#jitter = jitter;
    this.#random = random;
    this.#nextMs = baseMs;
  }

  /** Returns the next delay in milliseconds, and advances to the delay after it. */
  next(): number {
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * this.#factor, this.#maxMs);
    return delay * (1 + this.#random() * this.#jitter);
  }

  /** Resets the delay to `baseMs`, for example after a success. */
  reset(): void {
    this.#nextMs = this.#baseMs;
  }
}
