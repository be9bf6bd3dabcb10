import type { Unstructured } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ChangeLog, LoggedObject } from "../contract/change-log.ts";
import { freezeTree } from "../contract/freeze-tree.ts";
import { maxObjectBytes, refuseTooLarge } from "../contract/object-size.ts";
import { objectVersioner } from "../contract/object-versioner.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { sameButVersion } from "../contract/same-but-version.ts";
import type {
  ClosableStorage,
  Preconditions,
  StorageDeleteOptions,
  StorageListOptions,
  StorageListResult,
  StorageWatch,
  StorageWatchOptions,
  StoredObject,
  Update,
} from "../contract/storage.ts";
import { StorageError } from "../contract/storage-error.ts";
import { type CachedState, WatchCache, type WatchCacheOptions } from "../watch-cache/watch-cache.ts";
import { Expiry } from "./expiry.ts";

/** Options for a {@link MemoryStorage}. */
export interface MemoryStorageOptions extends WatchCacheOptions {
  /**
   * Log that preserves writes after this process ends. The storage starts with the contents of the log. Default: none.
   */
  readonly log?: ChangeLog | undefined;
  readonly clock?: Clock | undefined;
}

const retryExpiryMs = 1_000;

/**
 * An in-memory storage. The objects that it returns are frozen.
 *
 * @see apiserver pkg/storage/etcd3 store, pkg/storage/cacher
 */
export class MemoryStorage implements ClosableStorage {
  readonly versioner = objectVersioner;
  readonly maxObjectBytes = maxObjectBytes;
  readonly #cache: WatchCache;
  readonly #expiry: Expiry;
  readonly #clock: Clock;
  readonly #log: ChangeLog | undefined;

  constructor(options: MemoryStorageOptions = {}) {
    const { clock = systemClock, log } = options;
    this.#clock = clock;
    this.#log = log;
    this.#cache = new WatchCache(options, clock);
    this.#expiry = new Expiry(clock, (key) => this.#removeIfPresent(key));
    if (log) this.#restore(log);
  }

  currentResourceVersion(): number {
    return this.#cache.currentResourceVersion;
  }

  async create(
    key: string,
    object: Unstructured,
    options: { readonly ttlSeconds?: number | undefined } = {},
  ): Promise<StoredObject> {
    if (this.#cache.get(key)) throw new StorageError("KeyExists", key);
    return this.#write(key, undefined, object, options.ttlSeconds);
  }

  async delete(key: string, options: StorageDeleteOptions = {}): Promise<StoredObject> {
    for (;;) {
      const current = this.#present(key);
      checkPreconditions(key, options.preconditions, current);
      await options.validate?.(current);
      if (this.#cache.get(key) === current) return this.#remove(key, current);
    }
  }

  async get(
    key: string,
    options: { readonly resourceVersion?: string | undefined; readonly ignoreNotFound?: boolean | undefined } = {},
  ): Promise<StoredObject | undefined> {
    const wanted = this.versioner.parseResourceVersion(options.resourceVersion);
    if (wanted > this.#cache.currentResourceVersion) await this.#cache.reached(wanted);
    const object = this.#cache.get(key);
    if (!object && !options.ignoreNotFound) throw new StorageError("KeyNotFound", key);
    return object;
  }

  getList(prefix: string, options: StorageListOptions): Promise<StorageListResult> {
    return this.#cache.getList(prefix, options);
  }

  async guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean | undefined; readonly preconditions?: Preconditions | undefined },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject> {
    for (;;) {
      const current = this.#cache.get(key);
      if (!current && !options.ignoreNotFound) throw new StorageError("KeyNotFound", key);
      if (current) checkPreconditions(key, options.preconditions, current);
      const update = await tryUpdate(current);
      if (this.#cache.get(key) !== current) continue;
      if ("remove" in update) {
        if (!current) throw new StorageError("KeyNotFound", key);
        const removed = this.#remove(key, current);
        return update.answer ? freezeTree(update.answer) : removed;
      }
      if (current && sameButVersion(current, update.object)) return current;
      return this.#write(key, current, update.object, update.ttlSeconds);
    }
  }

  watch(prefix: string, options: StorageWatchOptions): StorageWatch {
    return this.#cache.watch(prefix, options);
  }

  async count(prefix: string): Promise<number> {
    return this.#cache.count(prefix);
  }

  async compact(resourceVersion: string): Promise<void> {
    this.#cache.forgetThrough(this.versioner.parseResourceVersion(resourceVersion));
  }

  /**
   * Restores the state at a version, as if from a backup.
   *
   * @throws {StorageError} `Expired` if that state was compacted, `TooLargeResourceVersion` if it does not exist yet
   *
   * @throws {Error} if writes are logged: the log would contain writes that were undone
   */
  async rewind(resourceVersion: string): Promise<void> {
    if (this.#log) throw new Error("storage with a journal cannot be reset to an earlier state");
    const wanted = this.versioner.parseResourceVersion(resourceVersion);
    if (wanted > this.currentResourceVersion()) await this.#cache.reached(wanted);
    this.#cache.rewind(wanted);
  }

  /**
   * Adds objects with their resource versions, as if the storage had started with them. Their prefix must not have been listed or watched
   * before, because watches are not notified. The objects are not logged.
   *
   * @param state the objects, and the resource version after which later writes are numbered, unless they already are
   */
  adopt(state: CachedState): void {
    this.#cache.adopt(state);
  }

  /** Stops the timers, and waits until the log is closed. */
  async close(): Promise<void> {
    this.#expiry.close();
    this.#cache.endWatches();
    await this.#log?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #restore(log: ChangeLog): void {
    const { forgottenThrough, resourceVersion, objects, changes } = log.restored;
    const expire = ({
      key,
      expiresAtMs,
    }: {
      readonly key: string;
      readonly expiresAtMs?: number | undefined;
    }): void => {
      if (expiresAtMs !== undefined) this.#expiry.set(key, expiresAtMs - this.#clock.now());
    };
    const restored = [...objects];
    this.#cache.reset({
      resourceVersion: forgottenThrough,
      objects: restored.map(({ key, object }) => [key, freezeTree(object)] as const),
    });
    restored.forEach(expire);
    for (const change of changes) {
      const { key, resourceVersion } = change;
      const previous = this.#cache.get(key);
      if (change.type === "put") {
        const object = freezeTree(change.object);
        this.#cache.apply({ key, resourceVersion, object, deleted: false, ...(previous ? { previous } : {}) });
        expire(change);
      } else if (previous) {
        const object: StoredObject = freezeTree(this.versioner.updateObject(previous, resourceVersion));
        this.#cache.apply({ key, resourceVersion, object, previous, deleted: true });
        this.#expiry.forget(key);
      }
    }
    this.#cache.advance(resourceVersion);
    log.source(() => this.#everything());
  }

  *#everything(): IterableIterator<LoggedObject> {
    for (const [key, object] of this.#cache.everything()) {
      const expiresAtMs = this.#expiry.at(key);
      yield { key, object, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
    }
  }

  #write(
    key: string,
    previous: StoredObject | undefined,
    object: Unstructured,
    ttlSeconds: number | undefined,
  ): StoredObject {
    this.versioner.prepareObjectForStorage(object);
    refuseTooLarge(key, object);
    const resourceVersion = this.#cache.currentResourceVersion + 1;
    object.metadata.resourceVersion = String(resourceVersion);
    const stored: StoredObject = freezeTree(object);
    if (this.#log) {
      const expiresAtMs = ttlSeconds === undefined ? this.#expiry.at(key) : this.#clock.now() + ttlSeconds * 1_000;
      const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
      this.#log.append({ type: "put", resourceVersion, key, object: stored, ...expiry });
    }
    if (ttlSeconds !== undefined) this.#expiry.set(key, ttlSeconds * 1_000);
    this.#cache.apply({ key, resourceVersion, object: stored, deleted: false, ...(previous ? { previous } : {}) });
    return stored;
  }

  #remove(key: string, previous: StoredObject): StoredObject {
    const resourceVersion = this.#cache.currentResourceVersion + 1;
    this.#log?.append({ type: "delete", resourceVersion, key });
    const object: StoredObject = freezeTree(this.versioner.updateObject(previous, resourceVersion));
    this.#expiry.forget(key);
    this.#cache.apply({ key, resourceVersion, object, previous, deleted: true });
    return object;
  }

  #removeIfPresent(key: string): void {
    const current = this.#cache.get(key);
    if (!current) return;
    try {
      this.#remove(key, current);
    } catch {
      this.#expiry.set(key, retryExpiryMs); // the log could not be written; clients get this error for their own writes
    }
  }

  #present(key: string): StoredObject {
    const current = this.#cache.get(key);
    if (!current) throw new StorageError("KeyNotFound", key);
    return current;
  }
}
