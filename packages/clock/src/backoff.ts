/** How the delays of a {@link Backoff} grow. In milliseconds. */
export interface BackoffOptions {
  /** First delay. */
  readonly baseMs: number;
  /** No delay is longer (before jitter). Default: no bound. */
  readonly maxMs?: number | undefined;
  /** Each delay is this many times the one before. Default 2. */
  readonly factor?: number | undefined;
  /** Each delay is lengthened by a random share of up to this much of it. Default 0. */
  readonly jitter?: number | undefined;
  /** A source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Growing delays between tries.
 *
 * @throws {RangeError} if `baseMs` is not positive, `maxMs` is below it, `factor` below 1 or `jitter` negative
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
    const { baseMs, maxMs = Number.POSITIVE_INFINITY, factor = 2, jitter = 0, random = Math.random } = options;
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

  /** The delay before the next try; the one after it will be longer. */
  next(): number {
    const delay = this.#nextMs;
    this.#nextMs = Math.min(delay * this.#factor, this.#maxMs);
    return delay * (1 + this.#random() * this.#jitter);
  }

  /** Start over: the trouble is past. */
  reset(): void {
    this.#nextMs = this.#baseMs;
  }
}
