import type { Clock } from "@kubewright/clock";

const maxEntries = 8_192;

/** A cache with a maximum size and a lifetime for each value. If the cache is full, the oldest value is dropped. */
export class ExpiringCache<Value> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly value: Value; readonly expiresMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.expiresMs > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, expiresMs: this.#clock.now() + ttlMs });
  }
}
