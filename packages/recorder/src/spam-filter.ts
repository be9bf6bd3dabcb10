import type { Clock } from "@kubewright/clock";

export interface SpamFilterOptions {
  readonly clock: Clock;
  /** Number of events that pass at once. Default 25. */
  readonly burst?: number | undefined;
  /** Time after which another one passes, in milliseconds. Default 300,000. */
  readonly refillMs?: number | undefined;
  /** Maximum number of remembered keys; the least recently used one is dropped. Default 4,096. */
  readonly cacheSize?: number | undefined;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Skips events about one subject that are too frequent: a token bucket for each key.
 *
 * @see client-go tools/record EventSourceObjectSpamFilter
 */
export class SpamFilter {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #refillMs: number;
  readonly #cacheSize: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ clock, burst = 25, refillMs = 300_000, cacheSize = 4_096 }: SpamFilterOptions) {
    this.#clock = clock;
    this.#burst = burst;
    this.#refillMs = refillMs;
    this.#cacheSize = cacheSize;
  }

  /** Reports whether another event under this key may pass; if so, it is counted. */
  allow(key: string): boolean {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    const tokens = known ? Math.min(this.#burst, known.tokens + (now - known.at) / this.#refillMs) : this.#burst;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    this.#forgetOldest();
    return tokens >= 1;
  }

  #forgetOldest(): void {
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#cacheSize) return;
      this.#buckets.delete(oldest);
    }
  }
}
