import { type Clock, systemClock, systemRandom } from "@kubewright/clock";

/** Options for an {@link ItemBackoff}. Delays are in milliseconds. */
export interface ItemBackoffOptions {
  /** First delay of an item. */
  readonly baseMs: number;
  /** Maximum delay. */
  readonly maxMs: number;
  /** Maximum random increase of a delay, as a fraction of the previous delay. Default 0. */
  readonly jitter?: number | undefined;
  /** Reports whether an item's delays start over, `idleMs` after its last failure. Default: after more than twice `maxMs`. */
  readonly hasExpired?: ((idleMs: number, maxMs: number) => boolean) | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of numbers in [0, 1). Default: the system's. */
  readonly random?: (() => number) | undefined;
}

interface Entry {
  delayMs: number;
  updatedAtMs: number;
}

/**
 * Computes an increasing delay for each of many items. Unlike the `exponentialFailure` rate limiter, it can return a
 * delay without counting a failure, and it automatically resets items that have not failed for a long time.
 *
 * @see client-go util/flowcontrol/backoff.go Backoff
 */
export class ItemBackoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #jitter: number;
  readonly #hasExpired: (idleMs: number, maxMs: number) => boolean;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(options: ItemBackoffOptions) {
    this.#baseMs = options.baseMs;
    this.#maxMs = options.maxMs;
    this.#jitter = options.jitter ?? 0;
    this.#hasExpired = options.hasExpired ?? ((idleMs, maxMs) => idleMs > 2 * maxMs);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom.number;
  }

  /** Number of stored items. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns an item's current delay in milliseconds, or 0 if it has none. */
  get(id: string): number {
    return this.#entries.get(id)?.delayMs ?? 0;
  }

  /** Counts a failure. The item's delay increases, or starts over if its last failure was long ago. */
  next(id: string): void {
    const now = this.#clock.monotonic();
    const entry = this.#entries.get(id);
    if (!entry || this.#isExpired(entry, now)) {
      this.#entries.set(id, {
        delayMs: Math.min(this.#lengthened(this.#baseMs, this.#baseMs), this.#maxMs),
        updatedAtMs: now,
      });
      return;
    }
    entry.delayMs = Math.min(this.#lengthened(entry.delayMs * 2, entry.delayMs), this.#maxMs);
    entry.updatedAtMs = now;
  }

  /** Reports whether less than the item's delay has passed since `sinceMs`, in monotonic milliseconds of the clock. */
  isInBackoffSince(id: string, sinceMs: number): boolean {
    const entry = this.#entries.get(id);
    const now = this.#clock.monotonic();
    return entry !== undefined && !this.#isExpired(entry, now) && now - sinceMs < entry.delayMs;
  }

  /** Resets an item's delay. */
  reset(id: string): void {
    this.#entries.delete(id);
  }

  /** Drops items whose delays would start over anyway. */
  collectGarbage(): void {
    const now = this.#clock.monotonic();
    for (const [id, entry] of this.#entries) if (this.#isExpired(entry, now)) this.#entries.delete(id);
  }

  #isExpired(entry: Entry, now: number): boolean {
    return this.#hasExpired(now - entry.updatedAtMs, this.#maxMs);
  }

  #lengthened(ms: number, previousMs: number): number {
    return this.#jitter > 0 ? ms + (1 - this.#random()) * this.#jitter * previousMs : ms;
  }
}
