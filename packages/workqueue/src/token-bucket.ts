import { type Clock, systemClock, untilAborted } from "@kubewright/clock";

/** Options for a {@link TokenBucket}: rate and size. */
export interface TokenBucketOptions {
  /** Number of tokens that arrive per second. Must be above 0; may be a fraction. */
  readonly qps: number;
  /** Maximum number of tokens in the bucket, at least 1. The bucket starts full. */
  readonly burst: number;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Limits the rate of operations.
 *
 * @see client-go util/flowcontrol RateLimiter
 */
export interface Throttle {
  /** Takes a token if one is available now. Returns false if none is available. */
  tryAccept(): boolean;
  /** Takes a token as soon as one is available. Returns without a token when the signal aborts. */
  accept(signal?: AbortSignal): Promise<void>;
  /**
   * Takes a token as soon as one is available.
   *
   * @throws {Error} immediately, if no token will be available within `timeoutMs`; the signal's reason if it aborts
   */
  wait(options?: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * A throttle whose tokens arrive at a steady rate. Each operation takes one token.
 *
 * @throws {RangeError} if `qps` is not positive or `burst` is below 1
 * @see client-go util/flowcontrol NewTokenBucketRateLimiter
 */
export class TokenBucket implements Throttle {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Number of tokens. Negative while reserved tokens have not arrived yet. */
  #tokens: number;
  #countedAtMs: number;

  constructor(options: TokenBucketOptions) {
    const { qps, burst, clock = systemClock } = options;
    if (!(qps > 0)) throw new RangeError(`qps must be positive, got ${qps}`);
    if (!(burst >= 1)) throw new RangeError(`burst must be at least 1, got ${burst}`);
    this.#perMs = qps / 1_000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#countedAtMs = clock.monotonic();
  }

  /** Takes the next token, available or not. Returns the milliseconds until it is available. */
  reserve(): number {
    const waitMs = this.#nextTokenInMs();
    this.#tokens--;
    return waitMs;
  }

  tryAccept(): boolean {
    if (this.#nextTokenInMs() > 0) return false;
    this.#tokens--;
    return true;
  }

  async accept(signal?: AbortSignal): Promise<void> {
    const waitMs = this.reserve();
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
  }

  async wait(
    options: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
    signal?.throwIfAborted();
    const waitMs = this.#nextTokenInMs();
    if (waitMs > timeoutMs)
      throw new Error(`the next token is available in ${waitMs} ms, but the limit is ${timeoutMs} ms`);
    this.#tokens--;
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    if (!signal?.aborted) return;
    this.#tokens++;
    signal.throwIfAborted();
  }

  #nextTokenInMs(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#countedAtMs) * this.#perMs);
    this.#countedAtMs = now;
    // Adding fractions of a token causes rounding errors. A token that is short by less than a billionth counts as available.
    return this.#tokens >= 1 - 1e-9 ? 0 : (1 - this.#tokens) / this.#perMs;
  }
}

/**
 * A throttle that accepts every operation.
 *
 * @see client-go util/flowcontrol NewFakeAlwaysRateLimiter
 */
export const alwaysAccept: Throttle = {
  tryAccept: () => true,
  accept: async () => {},
  wait: async () => {},
};

/**
 * A throttle that never accepts an operation: `accept` and `wait` wait until their signal aborts.
 *
 * @see client-go util/flowcontrol NewFakeNeverRateLimiter
 */
export const neverAccept: Throttle = {
  tryAccept: () => false,
  accept: (signal) => aborted(signal),
  wait: async ({ timeoutMs, signal } = {}) => {
    if (timeoutMs !== undefined) throw new Error("no token will ever be available");
    await aborted(signal);
    signal?.throwIfAborted();
  },
};

const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  signal ? untilAborted(signal) : new Promise(() => {});
