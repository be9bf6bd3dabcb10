import type { Clock } from "@kubewright/clock";

export interface SpamFilterOptions {
  readonly clock: Clock;
  /** So many events pass at once. Default 25. */
  readonly burst?: number | undefined;
  /** One more passes after each such time. Default 300,000 ms. */
  readonly refillMs?: number | undefined;
  /** So many keys are remembered, the least recently used one is forgotten. Default 4096. */
  readonly cacheSize?: number | undefined;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Refuses events about one subject that come too often: a token bucket for each key.
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

  /** Whether one more event under this key may pass; if so it is counted. */
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
