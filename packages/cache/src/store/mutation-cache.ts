import type { ObjectKey } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { IndexReader } from "./indexer.ts";
import type { IndexFunc } from "./indexes.ts";
import { isOlder, metaNamespaceKeyOf, receivedMetaOf, versionOf } from "./object-meta.ts";

/** Options for a {@link MutationCache}. */
export interface MutationCacheOptions<O> {
  /** Index functions that `byIndex` applies to written objects that are not in the store. Needed only with {@link includeAdds}. */
  readonly indexers?: Readonly<Record<string, IndexFunc<O>>> | undefined;
  /** True to return written objects that are not in the store yet. Default false. */
  readonly includeAdds?: boolean | undefined;
  /** Time for which a write is retained, in milliseconds. With 0 or less, it is retained until the store has caught up. Default 60,000. */
  readonly ttlMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Maximum number of retained writes, and of retained deletions. The oldest are dropped first. */
const maxMutations = 100;

/**
 * An informer's store combined with the program's own writes. Returns the newer of the two states for each object.
 *
 * @see client-go tools/cache/mutation_cache.go
 */
export class MutationCache<O> {
  readonly #store: IndexReader<O>;
  readonly #options: MutationCacheOptions<O>;
  readonly #mutations: TTLStore<O>;
  /** Recent deletions, so that a write that is recorded late does not restore a deleted object. */
  readonly #deletions = new Map<ObjectKey, { readonly version: string; readonly uid: string | undefined }>();

  constructor(store: IndexReader<O>, options: MutationCacheOptions<O> = {}) {
    const { ttlMs = 60_000, clock = systemClock } = options;
    this.#store = store;
    this.#options = options;
    this.#mutations = new TTLStore<O>({ keyOf: metaNamespaceKeyOf, ttlMs, clock });
  }

  /** Records the object that a write returned. */
  mutation(object: O): void {
    const key = metaNamespaceKeyOf(object);
    const known = this.#mutations.get(key);
    const deleted = this.#deletions.get(key);
    if (known !== undefined && isNewer(versionOf(known), versionOf(object))) return;
    // A missed deletion has the last known version, so a write with a newer version may still belong to the deleted object.
    if (deleted !== undefined && (isSame(deleted.uid, object) || !isNewer(versionOf(object), deleted.version))) return;
    this.#mutations.delete(key); // so that the latest is last
    this.#mutations.put(object);
    const [oldest] = this.#mutations.keys();
    if (this.#mutations.size > maxMutations && oldest !== undefined) this.#mutations.delete(oldest);
  }

  /** Drops writes that the informer has caught up with. Must be called for each addition and update that the informer reports. */
  observed(object: O): void {
    const key = metaNamespaceKeyOf(object);
    const known = this.#mutations.get(key);
    if (known !== undefined && !isNewer(versionOf(known), versionOf(object))) this.#mutations.delete(key);
    const deleted = this.#deletions.get(key);
    if (deleted?.uid === undefined || isSame(deleted.uid, object)) this.#deletions.delete(key);
  }

  /** Records a deletion. Must be called for each deletion that the informer reports. */
  deleted(object: O): void {
    const key = metaNamespaceKeyOf(object);
    const known = this.#mutations.get(key);
    // The deletion of a previous object of that name may be reported late.
    if (known === undefined || !isSuccessor(known, object)) this.#mutations.delete(key);
    this.#deletions.delete(key);
    this.#deletions.set(key, { version: versionOf(object), uid: receivedMetaOf(object).uid });
    const [oldest] = this.#deletions.keys();
    if (this.#deletions.size > maxMutations && oldest !== undefined) this.#deletions.delete(oldest);
  }

  /**
   * Returns the newer of the stored and the written object. Written objects that are not in the store are returned only with `includeAdds`.
   */
  get(key: ObjectKey): O | undefined {
    const stored = this.#store.get(key);
    if (stored !== undefined) return this.#newer(key, stored);
    return this.#options.includeAdds ? this.#mutations.get(key) : undefined;
  }

  /**
   * Returns the stored objects that are indexed under a value, each in its newer state. With `includeAdds`, the result also contains
   * written objects that are not in the store.
   */
  byIndex(index: string, value: string): O[] {
    const keys = new Set(this.#store.indexKeys(index, value));
    const stored = this.#store.byIndex(index, value).map((object) => this.#newer(metaNamespaceKeyOf(object), object));
    const func = this.#options.indexers?.[index];
    if (!this.#options.includeAdds || !func) return stored;
    const added = this.#mutations.list().filter((object) => {
      const key = metaNamespaceKeyOf(object);
      return !keys.has(key) && !this.#store.has(key) && func(object).includes(value);
    });
    return [...stored, ...added];
  }

  #newer(key: ObjectKey, stored: O): O {
    const mutated = this.#mutations.get(key);
    if (mutated === undefined) return stored;
    if (isNewer(versionOf(mutated), versionOf(stored))) return mutated;
    this.#mutations.delete(key);
    return stored;
  }
}

const isNewer = (version: string, than: string): boolean => isOlder(than, version);

/** Reports whether an object is the successor of a deleted object of the same name: it has a different UID and was created later. */
function isSuccessor(object: unknown, deleted: unknown): boolean {
  const { uid } = receivedMetaOf(object);
  return (
    uid !== undefined &&
    receivedMetaOf(deleted).uid !== undefined &&
    !isSame(uid, deleted) &&
    isNewer(versionOf(object), versionOf(deleted))
  );
}

const isSame = (uid: string | undefined, object: unknown): boolean =>
  uid !== undefined && receivedMetaOf(object).uid === uid;

/** Options for a {@link TTLStore}: the lifetime of its objects, and a function that returns their keys. */
export interface ExpiringStoreOptions<O> {
  readonly keyOf: (object: O) => ObjectKey;
  /** Lifetime of an object in milliseconds. Must be positive; `Infinity` disables expiry. */
  readonly ttlMs: number;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A store whose objects expire. An expired object is removed when it is next looked up.
 *
 * @see client-go tools/cache NewTTLStore
 */
export class TTLStore<O> {
  readonly #keyOf: (object: O) => ObjectKey;
  readonly #ttlMs: number;
  readonly #clock: Clock;
  readonly #entries = new Map<ObjectKey, { readonly object: O; readonly sinceMs: number }>();

  /** @throws {RangeError} if the lifetime is not positive */
  constructor(options: ExpiringStoreOptions<O>) {
    if (!(options.ttlMs > 0))
      throw new RangeError(`ttlMs must be positive, got ${options.ttlMs}; use Infinity to keep objects forever`);
    this.#keyOf = options.keyOf;
    this.#ttlMs = options.ttlMs;
    this.#clock = options.clock ?? systemClock;
  }

  /** Number of objects. Includes expired objects that have not been looked up since they expired. */
  get size(): number {
    return this.#entries.size;
  }

  /** Stores an object, replacing any object with the same key. Its lifetime starts over. */
  put(object: O): void {
    this.#entries.set(this.#keyOf(object), { object, sinceMs: this.#clock.monotonic() });
  }

  get(key: ObjectKey): O | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const hasExpired = this.#clock.monotonic() - entry.sinceMs > this.#ttlMs;
    if (!hasExpired) return entry.object;
    this.#entries.delete(key);
    return undefined;
  }

  /** Returns the objects that have not expired. */
  list(): O[] {
    return this.keys().flatMap((key) => this.get(key) ?? []);
  }

  /** Returns the keys of all objects. Includes expired objects that have not been looked up since they expired. */
  keys(): ObjectKey[] {
    return [...this.#entries.keys()];
  }

  delete(key: ObjectKey): void {
    this.#entries.delete(key);
  }

  /** Replaces the whole content. */
  replace(objects: readonly O[]): void {
    this.#entries.clear();
    for (const object of objects) this.put(object);
  }
}
