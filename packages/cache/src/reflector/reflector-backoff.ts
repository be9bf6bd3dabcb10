import { Backoff, type Clock } from "@kubewright/clock";

/** How the delays of a {@link ReflectorBackoff} grow. */
export interface ReflectorBackoffOptions {
  /** The first delay. Default 800 ms. */
  readonly baseMs?: number | undefined;
  /** The longest delay, before jitter. Default 30 s. */
  readonly maxMs?: number | undefined;
  /** By which each delay is longer than the one before. Default 2. */
  readonly factor?: number | undefined;
  /** Each delay is lengthened by up to this share of it, at random. Default 1. */
  readonly jitter?: number | undefined;
  /** After so long without a delay the next one is the first one again. Default 2 minutes. */
  readonly resetMs?: number | undefined;
  /** A source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * The delays of a reflector. They grow while failures last, and are jittered so that many clients do not return at once.
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
