import type { Clock } from "@kubewright/clock";
import { objectVersioner } from "../contract/object-versioner.ts";
import type {
  StorageChange,
  StorageListOptions,
  StorageListResult,
  StorageWatch,
  StorageWatchOptions,
  StoredObject,
} from "../contract/storage.ts";
import { StorageError } from "../contract/storage-error.ts";
import { Collection } from "./collection.ts";
import { decodeContinue } from "./continue-token.ts";
import { expiredList, listPage } from "./list-page.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { VersionArrival } from "./version-arrival.ts";
import { WakeBatch } from "./wake-batch.ts";
import { WatchIndex } from "./watch-index.ts";

/** Limits for a {@link WatchCache}. */
export interface WatchCacheOptions {
  /** Number of changes that are kept per resource. Default 1000. */
  readonly historyLength?: number | undefined;
  /** Maximum number of events that are buffered for a slow watcher. Default 1000. */
  readonly watchBuffer?: number | undefined;
  /** Maximum time in milliseconds for which a read waits for a future resource version. Default 3000. */
  readonly freshnessTimeoutMs?: number | undefined;
}

/** All objects at one resource version, used as a cache's initial state. */
export interface CachedState {
  readonly resourceVersion: number;
  readonly objects: Iterable<readonly [key: string, object: StoredObject]>;
}

/**
 * A cache that contains the current state and recent changes, and serves lists and watches from them. The cache's owner
 * must report changes in the order of their resource versions.
 *
 * @see apiserver pkg/storage/cacher
 */
export class WatchCache {
  readonly #historyLength: number;
  readonly #watchBuffer: number;
  readonly #arrival: VersionArrival;
  readonly #collections = new Map<string, Collection>();
  readonly #watches = new WatchIndex();
  readonly #wakes: WakeBatch;
  #current = 1;
  #forgotten = 0;

  constructor(options: WatchCacheOptions, clock: Clock) {
    this.#historyLength = options.historyLength ?? 1_000;
    this.#watchBuffer = options.watchBuffer ?? 1_000;
    this.#wakes = new WakeBatch(clock);
    this.#arrival = new VersionArrival(clock, options.freshnessTimeoutMs ?? 3_000, this.#current);
  }

  /** The newest resource version that was reported to the cache. */
  get currentResourceVersion(): number {
    return this.#current;
  }

  /** Replaces the whole state. The previous objects and changes are dropped. */
  reset({ resourceVersion, objects }: CachedState): void {
    this.#collections.clear();
    this.#forgotten = resourceVersion;
    for (const [key, object] of objects) this.#collection(key).put(key, object);
    this.advance(resourceVersion);
  }

  /**
   * Restores the state at a resource version, as if from a backup. All watches end, and later versions will be assigned again.
   *
   * @throws {StorageError} `Expired` if that state was dropped
   */
  rewind(resourceVersion: number): void {
    const entries: (readonly [string, StoredObject])[] = [];
    for (const [name, collection] of this.#collections) {
      if (resourceVersion < this.#forgottenThrough(collection)) throw expiredList(name, undefined);
      entries.push(...collection.entriesAt(resourceVersion, name));
    }
    this.endWatches();
    this.reset({ resourceVersion, objects: entries });
  }

  /**
   * Adds objects as if the cache had started with them. Their prefix must not have been listed or watched before, because watches are not
   * notified.
   */
  adopt({ resourceVersion, objects }: CachedState): void {
    for (const [key, object] of objects) this.#collection(key).put(key, object);
    if (resourceVersion > this.#current) this.advance(resourceVersion);
  }

  /** Applies a change, and sends it to the watches that match it. */
  apply(change: StorageChange): void {
    this.#collection(change.key).record(change);
    this.#watches.offer(change);
    this.advance(change.resourceVersion);
  }

  /** Advances the resource version without a change. */
  advance(resourceVersion: number): void {
    this.#current = resourceVersion;
    this.#arrival.announce(resourceVersion);
  }

  /** Waits until the cache has reached a resource version. @throws {StorageError} `TooLargeResourceVersion` if this takes too long */
  async reached(resourceVersion: number, signal?: AbortSignal): Promise<void> {
    if (resourceVersion > this.#current) await this.#arrival.waitFor(resourceVersion, signal);
  }

  get(key: string): StoredObject | undefined {
    return this.#collection(key).get(key);
  }

  /** Yields all keys and objects, resource by resource. */
  *everything(): IterableIterator<readonly [string, StoredObject]> {
    for (const [name, collection] of this.#collections) yield* collection.entries(name);
  }

  async getList(prefix: string, options: StorageListOptions): Promise<StorageListResult> {
    const collection = this.#collection(prefix);
    const token = options.continue ? decodeContinue(options.continue) : undefined;
    const wanted = objectVersioner.parseResourceVersion(options.resourceVersion);
    if (wanted > this.#current) await this.reached(wanted, options.signal);
    const exact = token ? Math.max(token.resourceVersion, 0) : this.#exactVersion(options, wanted);
    const at = exact > 0 ? exact : this.#current;
    const fromKey = token ? prefix + token.startKey.replace(/^\//, "") : prefix;
    if (exact > 0 && exact < this.#forgottenThrough(collection)) throw expiredList(prefix, token?.startKey);
    const isOld = exact > 0 && exact < this.#current;
    if (!isOld && !token && !options.limit && options.predicate.isEmpty)
      return { items: collection.items(prefix), metadata: objectVersioner.updateList(at) };
    const entries = isOld ? collection.entriesAt(at, prefix, fromKey) : collection.entries(prefix, fromKey);
    const countFrom = (key: string): number => collection.countAt(at, prefix, key);
    return listPage(prefix, { entries, resourceVersion: at, countFrom }, options);
  }

  /** Watches the objects under a prefix. @param ready promise for which the watch waits before it starts. Default: no wait */
  watch(prefix: string, options: StorageWatchOptions, ready?: Promise<void>): StorageWatch {
    const wanted = parsed(() => objectVersioner.parseResourceVersion(options.resourceVersion));
    const fromNow = typeof wanted !== "number" || wanted === 0 || options.sendInitialEvents !== undefined;
    const initial =
      options.sendInitialEvents ??
      (options.resourceVersion === undefined || options.resourceVersion === "" || wanted === 0);
    const watch = new MemoryWatch({
      predicate: options.predicate,
      after: fromNow ? 0 : wanted,
      allowBookmarks: options.allowBookmarks ?? false,
      maxBuffered: this.#watchBuffer,
      signal: options.signal,
      currentResourceVersion: () => this.#current,
      wakes: this.#wakes,
      onEnd: (over) => this.#watches.remove(prefix, over),
    });
    if (typeof wanted !== "number") watch.fail(wanted.error);
    else {
      const open = (): void => this.#open(prefix, watch, initial, fromNow ? this.#current : wanted, options);
      const early = options.sendInitialEvents && wanted > this.#current;
      const start = early ? (ready ?? Promise.resolve()).then(() => this.reached(wanted, options.signal)) : ready;
      if (start) start.then(open).catch((error: unknown) => watch.fail(error));
      else open();
    }
    return watch;
  }

  count(prefix: string): number {
    return this.#collection(prefix).count(prefix);
  }

  /** Drops the changes up to a resource version, so that older states are no longer available. */
  forgetThrough(resourceVersion: number): void {
    const through = Math.min(resourceVersion, this.#current);
    this.#forgotten = Math.max(this.#forgotten, through);
    for (const collection of this.#collections.values()) collection.forgetThrough(through);
  }

  endWatches(): void {
    this.#watches.endAll();
  }

  #open(prefix: string, watch: MemoryWatch, initial: boolean, from: number, options: StorageWatchOptions): void {
    const collection = this.#collection(prefix);
    if (initial) {
      for (const [, object] of collection.entries(prefix))
        if (options.predicate.matches(object))
          watch.push({ type: "ADDED", object, resourceVersion: objectVersioner.objectResourceVersion(object) });
      if (options.sendInitialEvents && options.allowBookmarks)
        watch.push({ type: "BOOKMARK", resourceVersion: this.#current, initialEventsEnd: true });
    } else {
      const oldest = this.#forgottenThrough(collection);
      if (from < oldest) {
        watch.fail(new StorageError("Expired", prefix, `too old resource version: ${from} (${oldest + 1})`));
        return;
      }
      for (const change of collection.changesAfter(from)) if (change.key.startsWith(prefix)) watch.offer(change);
    }
    if (!options.signal.aborted) this.#watches.add(prefix, watch);
  }

  /** Returns the resource version that a list must show exactly, or 0 if it can show the newest state. */
  #exactVersion(options: StorageListOptions, wanted: number): number {
    if (wanted === 0) return 0;
    const byLimit = (options.limit ?? 0) > 0 && (options.resourceVersionMatch ?? "") === "";
    return options.resourceVersionMatch === "Exact" || byLimit ? wanted : 0;
  }

  #collection(key: string): Collection {
    const name = key.slice(0, key.indexOf("/", key.indexOf("/", 1) + 1) + 1);
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new Collection(this.#historyLength, this.#forgotten);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  #forgottenThrough(collection: Collection): number {
    return Math.max(collection.forgottenThrough, this.#forgotten);
  }
}

function parsed(parse: () => number): number | { readonly error: unknown } {
  try {
    return parse();
  } catch (error) {
    return { error };
  }
}
