import type { Unstructured } from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
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
  Versioner,
} from "@kubewright/storage";
import {
  checkPreconditions,
  freezeTree,
  objectVersioner,
  StorageError,
  sameButVersion,
  WatchCache,
  type WatchCacheOptions,
} from "@kubewright/storage";
import { Etcd3, type IKeyValue, type IPutRequest, type IRequestOp } from "etcd3";
import { EtcdFeed } from "./etcd-feed.ts";
import { EtcdKeys } from "./etcd-keys.ts";
import { decodeValue, encodeValue } from "./etcd-values.ts";
import { EventLeases } from "./event-leases.ts";

/** Options for the connection to etcd. */
export interface EtcdOptions {
  /** Endpoints of etcd, such as `http://127.0.0.1:2379`. */
  readonly endpoints: readonly string[];
  /** Prefix of all keys in etcd. Default `/registry`. */
  readonly prefix?: string | undefined;
  /**
   * TLS settings in PEM format. `certificate` and `key` identify this client. By default, no client certificate is sent, and `https://`
   * endpoints are verified with the system's CAs.
   */
  readonly tls?:
    | { readonly ca: string; readonly certificate?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** Timeout for one call, in milliseconds. It does not apply to streams. Default 10,000. */
  readonly callTimeoutMs?: number | undefined;
}

interface EtcdStorageOptions extends EtcdOptions, WatchCacheOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const requestTooLarge = "etcdserver: request is too large";

/** Reports whether a write failed because the object exceeds the size limit of etcd or of its client. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && /request is too large|larger than max/.test(error.message);

/**
 * Stores objects in etcd under the same keys as kube-apiserver. The resource version is etcd's revision. Several servers can share one
 * etcd.
 *
 * A write is a transaction that succeeds only if the key still has the expected revision. Lists and watches are served
 * from a cache that is kept in sync with etcd. A list that requires the newest state waits until the cache contains it.
 *
 * @see apiserver pkg/storage/etcd3 store
 */
export class EtcdStorage implements ClosableStorage {
  readonly versioner: Versioner = objectVersioner;
  readonly #etcd: Etcd3;
  readonly #keys: EtcdKeys;
  readonly #cache: WatchCache;
  readonly #feed: EtcdFeed;
  readonly #leases: EventLeases;

  private constructor(options: EtcdStorageOptions) {
    const { clock = systemClock, logger = silentLogger, tls, callTimeoutMs = 10_000 } = options;
    this.#etcd = new Etcd3({
      hosts: [...options.endpoints],
      grpcOptions: { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 },
      defaultCallOptions: ({ isStream }) => (isStream ? {} : { deadline: systemClock.now() + callTimeoutMs }),
      ...(tls ? { credentials: credentialsOf(tls) } : {}),
    });
    this.#keys = new EtcdKeys(options.prefix ?? "/registry");
    this.#cache = new WatchCache(options, clock);
    this.#feed = new EtcdFeed({ etcd: this.#etcd, keys: this.#keys, cache: this.#cache, clock, logger });
    this.#leases = new EventLeases(this.#etcd.leaseClient, clock);
  }

  /** Connects to etcd and loads its state. @throws {Error} if etcd is unreachable; the message contains the endpoints */
  static async open(options: EtcdStorageOptions): Promise<EtcdStorage> {
    const storage = new EtcdStorage(options);
    try {
      await storage.#feed.start();
      return storage;
    } catch (cause) {
      storage.#etcd.close();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`etcd at ${options.endpoints.join(", ")} cannot be used: ${reason}`, { cause });
    }
  }

  currentResourceVersion(): number {
    return this.#cache.currentResourceVersion;
  }

  async create(
    key: string,
    object: Unstructured,
    options: { readonly ttlSeconds?: number | undefined } = {},
  ): Promise<StoredObject> {
    const written = await this.#put(key, 0, object, options.ttlSeconds);
    if (!written) throw new StorageError("KeyExists", key);
    return written;
  }

  async delete(key: string, options: StorageDeleteOptions = {}): Promise<StoredObject> {
    for (;;) {
      const current = await this.get(key);
      if (!current) throw new StorageError("KeyNotFound", key);
      checkPreconditions(key, options.preconditions, current);
      await options.validate?.(current);
      const removed = await this.#remove(key, current);
      if (removed) return removed;
    }
  }

  async get(
    key: string,
    options: { readonly resourceVersion?: string | undefined; readonly ignoreNotFound?: boolean | undefined } = {},
  ): Promise<StoredObject | undefined> {
    const wanted = this.versioner.parseResourceVersion(options.resourceVersion);
    if (wanted > this.#cache.currentResourceVersion) await this.#caughtUp(wanted);
    const { kvs } = await this.#etcd.kv.range({ key: this.#keyOf(key) });
    const object = kvs[0] && this.#decoded(key, kvs[0]);
    if (!object && !options.ignoreNotFound) throw new StorageError("KeyNotFound", key);
    return object;
  }

  async getList(prefix: string, options: StorageListOptions): Promise<StorageListResult> {
    if (!options.resourceVersion && !options.continue) await this.#caughtUp(await this.#revision(), options.signal);
    const list = this.#cache.getList(prefix, options);
    return this.#isAhead(options.resourceVersion) ? this.#feed.hasten(list) : list;
  }

  async guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean | undefined; readonly preconditions?: Preconditions | undefined },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject> {
    for (;;) {
      const current = await this.get(key, { ignoreNotFound: options.ignoreNotFound ?? false });
      if (current) checkPreconditions(key, options.preconditions, current);
      const update = await tryUpdate(current);
      if ("remove" in update) {
        if (!current) throw new StorageError("KeyNotFound", key);
        const removed = await this.#remove(key, current);
        if (removed) return update.answer ? freezeTree(update.answer) : removed;
        continue;
      }
      if (current && sameButVersion(current, update.object)) return current;
      const revision = current ? this.versioner.objectResourceVersion(current) : 0;
      const written = await this.#put(key, revision, update.object, update.ttlSeconds);
      if (written) return written;
    }
  }

  watch(prefix: string, options: StorageWatchOptions): StorageWatch {
    const fromNewest = !options.resourceVersion && options.sendInitialEvents !== false;
    if (!fromNewest && this.#isAhead(options.resourceVersion)) this.#feed.requestProgress();
    const ready = fromNewest
      ? this.#revision().then((revision) => this.#caughtUp(revision, options.signal))
      : Promise.resolve();
    return this.#cache.watch(prefix, options, ready);
  }

  async count(prefix: string): Promise<number> {
    return this.#cache.count(prefix);
  }

  async compact(resourceVersion: string): Promise<void> {
    const revision = this.versioner.parseResourceVersion(resourceVersion);
    this.#cache.forgetThrough(revision);
    await this.#etcd.kv.compact({ revision, physical: false });
  }

  async close(): Promise<void> {
    this.#cache.endWatches();
    await this.#feed.close();
    this.#etcd.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Writes an object if its key still has the given revision (0 means that the key must not exist). Otherwise, resolves to `undefined`. */
  async #put(
    key: string,
    revision: number,
    object: Unstructured,
    ttlSeconds: number | undefined,
  ): Promise<StoredObject | undefined> {
    this.versioner.prepareObjectForStorage(object);
    const request: IPutRequest = { key: this.#keyOf(key), value: encodeValue(object) };
    if (ttlSeconds !== undefined) request.lease = await this.#leases.idFor(ttlSeconds);
    else if (revision > 0) request.ignore_lease = true;
    const written = await this.#transaction(key, revision, { request_put: request }).catch((error: unknown) => {
      throw isTooLarge(error) ? new StorageError("TooLarge", key, requestTooLarge) : error;
    });
    if (written === undefined) return undefined;
    object.metadata.resourceVersion = String(written);
    await this.#caughtUp(written);
    return freezeTree(object);
  }

  async #remove(key: string, current: StoredObject): Promise<StoredObject | undefined> {
    const revision = this.versioner.objectResourceVersion(current);
    const removed = await this.#transaction(key, revision, { request_delete_range: { key: this.#keyOf(key) } });
    if (removed === undefined) return undefined;
    await this.#caughtUp(removed);
    return freezeTree(this.versioner.updateObject(current, removed));
  }

  /** Runs an operation in a transaction. Resolves to the new revision, or to `undefined` if the key does not have the expected revision. */
  async #transaction(key: string, revision: number, operation: IRequestOp): Promise<number | undefined> {
    const { succeeded, header } = await this.#etcd.kv.txn({
      compare: [{ key: this.#keyOf(key), target: "Mod", result: "Equal", mod_revision: revision }],
      success: [operation],
      failure: [],
    });
    return succeeded ? Number(header.revision) : undefined;
  }

  /** Decodes an entry. Returns the cached object instead if it has the same version, so that its serialized form is shared. */
  #decoded(key: string, entry: IKeyValue): StoredObject {
    const cached = this.#cache.get(key);
    return cached?.metadata.resourceVersion === entry.mod_revision
      ? cached
      : decodeValue(entry.value, Number(entry.mod_revision));
  }

  async #revision(): Promise<number> {
    const { header } = await this.#etcd.kv.range({ key: Buffer.from(this.#keys.root), count_only: true });
    return Number(header.revision);
  }

  /** Waits until the cache has reached a revision. */
  async #caughtUp(revision: number, signal?: AbortSignal): Promise<void> {
    if (revision <= this.#cache.currentResourceVersion) return;
    await this.#feed.hasten(this.#cache.reached(revision, signal));
  }

  /**
   * Reports whether a resource version is newer than the cache. This may only mean that no object has changed since the cache's version.
   */
  #isAhead(resourceVersion: string | undefined): boolean {
    return Number(resourceVersion ?? 0) > this.#cache.currentResourceVersion;
  }

  #keyOf(key: string): Buffer {
    return Buffer.from(this.#keys.toEtcd(key));
  }
}

function credentialsOf({ ca, certificate, key }: NonNullable<EtcdOptions["tls"]>) {
  return {
    rootCertificate: Buffer.from(ca),
    ...(certificate && key ? { certChain: Buffer.from(certificate), privateKey: Buffer.from(key) } : {}),
  };
}
