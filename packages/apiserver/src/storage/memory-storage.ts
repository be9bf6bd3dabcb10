import { jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { Collection } from "./collection.ts";
import { decodeContinue } from "./continue-token.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { Expiry } from "./expiry.ts";

import { expiredList, listPage } from "./list-page.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { objectVersioner } from "./object-versioner.ts";
import { checkPreconditions } from "./preconditions.ts";
import type {
  Preconditions,
  Storage,
  StorageChange,
  StorageListOptions,
  StorageListResult,
  StorageWatch,
  StorageWatchOptions,
  StoredObject,
  Update,
} from "./storage.ts";
import { StorageError } from "./storage-error.ts";
import { VersionArrival } from "./version-arrival.ts";
import { WatchIndex } from "./watch-index.ts";

export interface MemoryStorageOptions {
  /** Changes remembered for each resource. Default 1000. */
  readonly historyLength?: number;
  /** Events that may wait for one slow watcher. Default 1000. */
  readonly watchBuffer?: number;
  /** How long a read waits for a resource version that is still to come. Default 3000. */
  readonly freshnessTimeoutMs?: number;
  readonly clock?: Clock;
}

/**
 * Everything in memory. Objects handed out are frozen.
 *
 * @see apiserver pkg/storage/etcd3 store, pkg/storage/cacher
 */
export class MemoryStorage implements Storage {
  readonly versioner = objectVersioner;
  readonly #historyLength: number;
  readonly #watchBuffer: number;
  readonly #arrival: VersionArrival;
  readonly #collections = new Map<string, Collection>();
  readonly #watches = new WatchIndex();
  readonly #expiry: Expiry;
  #counter = 1;
  #compactedThrough = 0;

  constructor(options: MemoryStorageOptions = {}) {
    this.#historyLength = options.historyLength ?? 1_000;
    this.#watchBuffer = options.watchBuffer ?? 1_000;
    const { clock = systemClock, freshnessTimeoutMs = 3_000 } = options;
    this.#arrival = new VersionArrival(clock, freshnessTimeoutMs, this.#counter);
    this.#expiry = new Expiry(clock, (key) => this.#removeIfPresent(key));
  }

  currentResourceVersion(): number {
    return this.#counter;
  }

  async create(
    key: string,
    object: Unstructured,
    options: { readonly ttlSeconds?: number } = {},
  ): Promise<StoredObject> {
    const collection = this.#collection(key);
    if (collection.get(key)) throw new StorageError("KeyExists", key);
    return this.#write(key, undefined, object, options.ttlSeconds);
  }

  async delete(
    key: string,
    options: {
      readonly preconditions?: Preconditions;
      readonly validate?: (current: StoredObject) => Promise<void> | void;
    } = {},
  ): Promise<StoredObject> {
    for (;;) {
      const current = this.#present(key);
      checkPreconditions(key, options.preconditions, current);
      await options.validate?.(current);
      if (this.#collection(key).get(key) === current) return this.#remove(key, current);
    }
  }

  async get(
    key: string,
    options: { readonly resourceVersion?: string; readonly ignoreNotFound?: boolean } = {},
  ): Promise<StoredObject | undefined> {
    const wanted = this.versioner.parseResourceVersion(options.resourceVersion);
    if (wanted > this.#counter) await this.#arrival.waitFor(wanted);
    const object = this.#collection(key).get(key);
    if (!object && !options.ignoreNotFound) throw new StorageError("KeyNotFound", key);
    return object;
  }

  async getList(prefix: string, options: StorageListOptions): Promise<StorageListResult> {
    const collection = this.#collection(prefix);
    const token = options.continue ? decodeContinue(options.continue) : undefined;
    const wanted = this.versioner.parseResourceVersion(options.resourceVersion);
    if (wanted > this.#counter) await this.#arrival.waitFor(wanted, options.signal);
    const exact = token ? Math.max(token.resourceVersion, 0) : this.#exactVersion(options, wanted);
    const at = exact > 0 ? exact : this.#counter;
    const fromKey = token ? prefix + token.startKey.replace(/^\//, "") : prefix;
    if (exact > 0 && exact < this.#forgottenThrough(collection)) throw expiredList(prefix, token?.startKey);
    const entries =
      exact > 0 && exact < this.#counter
        ? collection.entriesAt(at, prefix, fromKey)
        : collection.entries(prefix, fromKey);
    return listPage(prefix, entries, at, options);
  }

  async guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean; readonly preconditions?: Preconditions },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject> {
    for (;;) {
      const current = this.#collection(key).get(key);
      if (!current && !options.ignoreNotFound) throw new StorageError("KeyNotFound", key);
      if (current) checkPreconditions(key, options.preconditions, current);
      const update = await tryUpdate(current);
      if (this.#collection(key).get(key) !== current) continue;
      if ("remove" in update) {
        if (!current) throw new StorageError("KeyNotFound", key);
        const removed = this.#remove(key, current);
        return update.answer ? deepFreeze(update.answer) : removed;
      }
      if (current && sameButVersion(current, update.object)) return current;
      return this.#write(key, current, update.object, update.ttlSeconds);
    }
  }

  watch(prefix: string, options: StorageWatchOptions): StorageWatch {
    const wanted = parsed(() => this.versioner.parseResourceVersion(options.resourceVersion));
    const fromNow = typeof wanted !== "number" || wanted === 0 || options.sendInitialEvents !== undefined;
    const initial =
      options.sendInitialEvents ??
      (options.resourceVersion === undefined || options.resourceVersion === "" || wanted === 0);
    const watch: MemoryWatch = new MemoryWatch({
      predicate: options.predicate,
      after: fromNow ? 0 : wanted,
      allowBookmarks: options.allowBookmarks ?? false,
      maxBuffered: this.#watchBuffer,
      signal: options.signal,
      currentResourceVersion: () => this.#counter,
      onEnd: () => this.#watches.remove(prefix, watch),
    });
    if (typeof wanted !== "number") watch.fail(wanted.error);
    else if (options.sendInitialEvents && wanted > this.#counter)
      this.#arrival.waitFor(wanted, options.signal).then(
        () => this.#open(prefix, watch, initial, wanted, options),
        (error) => watch.fail(error),
      );
    else this.#open(prefix, watch, initial, fromNow ? this.#counter : wanted, options);
    return watch;
  }

  async count(prefix: string): Promise<number> {
    return this.#collection(prefix).count(prefix);
  }

  async compact(resourceVersion: string): Promise<void> {
    const through = Math.min(this.versioner.parseResourceVersion(resourceVersion), this.#counter);
    this.#compactedThrough = Math.max(this.#compactedThrough, through);
    for (const collection of this.#collections.values()) collection.forgetThrough(through);
  }

  /** Stops the timers. */
  close(): void {
    this.#expiry.close();
    this.#watches.endAll();
  }

  #open(prefix: string, watch: MemoryWatch, initial: boolean, from: number, options: StorageWatchOptions): void {
    const collection = this.#collection(prefix);
    if (initial) {
      for (const [, object] of collection.entries(prefix))
        if (options.predicate.matches(object))
          watch.push({ type: "ADDED", object, resourceVersion: this.versioner.objectResourceVersion(object) });
      if (options.sendInitialEvents && options.allowBookmarks)
        watch.push({ type: "BOOKMARK", resourceVersion: this.#counter, initialEventsEnd: true });
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

  /** The version a list must show exactly, or 0 for the newest. */
  #exactVersion(options: StorageListOptions, wanted: number): number {
    if (wanted === 0) return 0;
    const byLimit = (options.limit ?? 0) > 0 && (options.resourceVersionMatch ?? "") === "";
    return options.resourceVersionMatch === "Exact" || byLimit ? wanted : 0;
  }

  #write(
    key: string,
    previous: StoredObject | undefined,
    object: Unstructured,
    ttlSeconds: number | undefined,
  ): StoredObject {
    const resourceVersion = ++this.#counter;
    this.versioner.prepareObjectForStorage(object);
    object.metadata.resourceVersion = String(resourceVersion);
    const stored: StoredObject = deepFreeze(object);
    if (ttlSeconds !== undefined) this.#expiry.set(key, ttlSeconds * 1_000);
    this.#publish({ key, resourceVersion, object: stored, deleted: false, ...(previous ? { previous } : {}) });
    return stored;
  }

  #remove(key: string, previous: StoredObject): StoredObject {
    const resourceVersion = ++this.#counter;
    const object: StoredObject = deepFreeze(this.versioner.updateObject(previous, resourceVersion));
    this.#expiry.forget(key);
    this.#publish({ key, resourceVersion, object, previous, deleted: true });
    return object;
  }

  #removeIfPresent(key: string): void {
    const current = this.#collection(key).get(key);
    if (current) this.#remove(key, current);
  }

  #publish(change: StorageChange): void {
    this.#collection(change.key).record(change);
    this.#watches.offer(change);
    this.#arrival.announce(change.resourceVersion);
  }

  #present(key: string): StoredObject {
    const current = this.#collection(key).get(key);
    if (!current) throw new StorageError("KeyNotFound", key);
    return current;
  }

  #collection(key: string): Collection {
    const name = key.slice(0, key.indexOf("/", key.indexOf("/", 1) + 1) + 1);
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new Collection(this.#historyLength, this.#compactedThrough);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  #forgottenThrough(collection: Collection): number {
    return Math.max(collection.forgottenThrough, this.#compactedThrough);
  }
}

function sameButVersion(current: StoredObject, next: Unstructured): boolean {
  const { resourceVersion: _ours, ...before } = current.metadata;
  const { resourceVersion: _theirs, ...after } = next.metadata;
  return jsonEqual(before, after) && jsonEqual({ ...current, metadata: null }, { ...next, metadata: null });
}

function parsed(parse: () => number): number | { readonly error: unknown } {
  try {
    return parse();
  } catch (error) {
    return { error };
  }
}
