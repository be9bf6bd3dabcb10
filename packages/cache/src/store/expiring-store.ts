import type { ObjectKey } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";

/** Keys and lifetime of the objects in an {@link ExpiringStore}. */
export interface ExpiringStoreOptions<O> {
  readonly keyOf: (object: O) => ObjectKey;
  /** Lifetime of an object, in milliseconds; 0 or less keeps it forever. */
  readonly ttlMs: number;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A store whose objects expire. An expired object is dropped at the next lookup.
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

  /** Number of objects, including expired ones that have not been looked up since. */
  get size(): number {
    return this.#entries.size;
  }

  /** Stores an object, replacing the one under its key if there is one. Its lifetime starts over. */
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

  /** Returns the objects that have not expired. */
  list(): O[] {
    return this.keys().flatMap((key) => this.get(key) ?? []);
  }

  /** Returns the keys of all objects, including expired ones that have not been looked up since. */
  keys(): ObjectKey[] {
    return [...this.#entries.keys()];
  }

  delete(key: ObjectKey): void {
    this.#entries.delete(key);
  }

  /** Makes these objects the whole content. */
  replace(objects: readonly O[]): void {
    this.#entries.clear();
    for (const object of objects) this.put(object);
  }
}
