import type { ObjectKey } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";

export interface ExpiringStoreOptions<O> {
  readonly keyOf: (object: O) => ObjectKey;
  /** How long an object is kept; for ever if this is not above 0. */
  readonly ttlMs: number;
  readonly clock?: Clock | undefined;
}

/**
 * Objects that are forgotten after a while. An expired object is dropped when somebody looks for it.
 *
 * @see client-go tools/cache NewTTLStore
 */
export class ExpiringStore<O> {
  readonly #keyOf: (object: O) => ObjectKey;
  readonly #ttlMs: number;
  readonly #clock: Clock;
  readonly #entries = new Map<ObjectKey, { readonly object: O; readonly sinceMs: number }>();

  constructor(options: ExpiringStoreOptions<O>) {
    this.#keyOf = options.keyOf;
    this.#ttlMs = options.ttlMs;
    this.#clock = options.clock ?? systemClock;
  }

  /** How many entries there are, expired ones that nobody has looked for included. */
  get size(): number {
    return this.#entries.size;
  }

  /** Adds an object, or puts it in the place of the one with its key. Its time begins anew. */
  put(object: O): void {
    this.#entries.set(this.#keyOf(object), { object, sinceMs: this.#clock.monotonic() });
  }

  get(key: ObjectKey): O | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const hasExpired = this.#ttlMs > 0 && this.#clock.monotonic() - entry.sinceMs > this.#ttlMs;
    if (!hasExpired) return entry.object;
    this.#entries.delete(key);
    return undefined;
  }

  list(): O[] {
    return this.keys().flatMap((key) => this.get(key) ?? []);
  }

  keys(): ObjectKey[] {
    return [...this.#entries.keys()];
  }

  delete(key: ObjectKey): void {
    this.#entries.delete(key);
  }

  replace(objects: readonly O[]): void {
    this.#entries.clear();
    for (const object of objects) this.put(object);
  }
}
