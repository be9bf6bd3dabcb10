import { Backoff, type Clock } from "@kubewright/clock";

/** Delays of a {@link ReflectorBackoff}. */
export interface ReflectorBackoffOptions {
  /** First delay in milliseconds. Default 800. */
  readonly baseMs?: number | undefined;
  /** Maximum delay in milliseconds, before jitter. Default 30,000. */
  readonly maxMs?: number | undefined;
  /** Factor by which each delay exceeds the previous one. Default 2. */
  readonly factor?: number | undefined;
  /** Maximum share of a delay that is added to it at random. Default 1, which at most doubles the delay. */
  readonly jitter?: number | undefined;
  /** Time without a delay, in milliseconds, after which the next delay is the first one again. Default 120,000. */
  readonly resetMs?: number | undefined;
  /** Source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * The delays of a reflector. They grow while failures last, and are jittered so that many clients do not reconnect at once.
 *
 * @see client-go tools/cache/reflector.go defaultBackoffInit, defaultBackoffMax, defaultBackoffReset
 */
export class ReflectorBackoff {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #resetMs: number;
  #lastUsedMs: number;

  constructor(clock: Clock, options: ReflectorBackoffOptions = {}) {
    const { baseMs = 800, maxMs = 30_000, factor = 2, jitter = 1, resetMs = 120_000, random = Math.random } = options;
    this.#clock = clock;
    this.#backoff = new Backoff({ baseMs, maxMs, factor, jitter, random });
    this.#resetMs = resetMs;
    this.#lastUsedMs = clock.monotonic();
  }

  /** Waits for the next delay, or until the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#lastUsedMs > this.#resetMs) this.#backoff.reset();
    this.#lastUsedMs = now;
    await this.#clock.sleep(this.#backoff.next(), signal);
  }
}
