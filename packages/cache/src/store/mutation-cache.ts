import { compareResourceVersions, type ObjectKey } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { ExpiringStore } from "./expiring-store.ts";
import type { IndexFunc, IndexReader } from "./indexer.ts";
import { metaNamespaceKeyOf, metaOf, versionOf } from "./object-meta.ts";

export interface MutationCacheOptions<O> {
  /** Also show objects that the store below does not have (yet), and file them by these functions. Default: do not. */
  readonly indexers?: Readonly<Record<string, IndexFunc<O>>> | undefined;
  readonly includeAdds?: boolean | undefined;
  /** How long a write is remembered; until it is caught up with if this is not above 0. Default 1 minute. */
  readonly ttlMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Writes remembered at most; older ones give way. */
const maxMutations = 100;

/**
 * An informer's store, and over it what this program has written since: the newer of the two is shown.
 *
 * @see client-go tools/cache/mutation_cache.go
 */
export class MutationCache<O> {
  readonly #store: IndexReader<O>;
  readonly #options: MutationCacheOptions<O>;
  readonly #mutations: ExpiringStore<O>;
  /** What was deleted, and as of which version, so that a late write does not bring it back. */
  readonly #deletions = new Map<ObjectKey, { readonly version: string; readonly uid: string | undefined }>();

  constructor(store: IndexReader<O>, options: MutationCacheOptions<O> = {}) {
    const { ttlMs = 60_000, clock = systemClock } = options;
    this.#store = store;
    this.#options = options;
    this.#mutations = new ExpiringStore<O>({ keyOf: metaNamespaceKeyOf, ttlMs, clock });
  }

  /** Remembers what a write returned. */
  mutation(object: O): void {
    const key = metaNamespaceKeyOf(object);
    const known = this.#mutations.get(key);
    const deleted = this.#deletions.get(key);
    if (known !== undefined && isNewer(versionOf(known), versionOf(object))) return;
    // The version of a deletion that was missed is that of what was last seen, so a newer write may be of what is gone.
    if (deleted !== undefined && (isSame(deleted.uid, object) || !isNewer(versionOf(object), deleted.version))) return;
    this.#mutations.delete(key); // so that the latest is last
    this.#mutations.put(object);
    const [oldest] = this.#mutations.keys();
    if (this.#mutations.size > maxMutations && oldest !== undefined) this.#mutations.delete(oldest);
  }

  /** To be told what the informer reports: a write that it has caught up with is forgotten. */
  observed(object: O): void {
    const key = metaNamespaceKeyOf(object);
    const known = this.#mutations.get(key);
    if (known !== undefined && !isNewer(versionOf(known), versionOf(object))) this.#mutations.delete(key);
    const deleted = this.#deletions.get(key);
    if (deleted?.uid === undefined || isSame(deleted.uid, object)) this.#deletions.delete(key);
  }

  /** To be told of deletions that the informer reports. */
  deleted(object: O): void {
    const key = metaNamespaceKeyOf(object);
    this.#mutations.delete(key);
    this.#deletions.delete(key);
    this.#deletions.set(key, { version: versionOf(object), uid: metaOf(object).uid });
    const [oldest] = this.#deletions.keys();
    if (this.#deletions.size > maxMutations && oldest !== undefined) this.#deletions.delete(oldest);
  }

  get(key: ObjectKey): O | undefined {
    const stored = this.#store.get(key);
    if (stored !== undefined) return this.#newer(key, stored);
    return this.#options.includeAdds ? this.#mutations.get(key) : undefined;
  }

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

const isNewer = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) > 0;

const isSame = (uid: string | undefined, object: unknown): boolean => uid !== undefined && metaOf(object).uid === uid;
