import type { Clock, Timer } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { StoredObject, WatchCache } from "@kubewright/storage";
import { freezeTree, objectVersioner } from "@kubewright/storage";
import type { Etcd3, IKeyValue, IWatchResponse } from "etcd3";
import type { EtcdKeys } from "./etcd-keys.ts";
import { decodeValue } from "./etcd-values.ts";
import { endOfPrefix } from "./range-end.ts";

const pageSize = 1_000;
const reconnectAfterMs = 250;
/**
 * Interval in milliseconds between progress requests to etcd while a caller waits for a revision. @see apiserver pkg/storage/cacher
 * progress
 */
const progressEveryMs = 100;

interface FeedParts {
  readonly etcd: Etcd3;
  readonly keys: EtcdKeys;
  readonly cache: WatchCache;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps the cache in sync with etcd: loads all objects once and then applies all changes, even if a connection is lost
 * or the history is compacted.
 */
export class EtcdFeed {
  readonly #parts: FeedParts;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #requestProgress: () => void = () => {};
  #waiting = 0;
  #progressTimer: Timer | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Loads etcd's state into the cache. @throws {Error} if etcd is unreachable */
  async start(): Promise<void> {
    await this.#load();
    this.#running = this.#run();
  }

  /** Requests etcd's current revision. The response arrives after all earlier changes. */
  requestProgress(): void {
    this.#requestProgress();
  }

  /**
   * Requests the current revision repeatedly until the awaited revision has arrived. A single request is not enough: etcd responds
   * neither before the stream has started nor while the stream is behind.
   */
  async hasten<T>(arrival: Promise<T>): Promise<T> {
    this.#waiting++;
    this.requestProgress();
    this.#repeatProgress();
    try {
      return await arrival;
    } finally {
      this.#waiting--;
    }
  }

  #repeatProgress(): void {
    this.#progressTimer ??= this.#parts.clock.after(
      progressEveryMs,
      () => {
        this.#progressTimer = undefined;
        if (this.#waiting === 0) return;
        this.requestProgress();
        this.#repeatProgress();
      },
      { unref: true },
    );
  }

  async close(): Promise<void> {
    this.#progressTimer?.cancel();
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, logger, cache } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const compacted = await this.#follow();
        if (!compacted) continue;
        cache.endWatches();
        await this.#load();
      } catch (err) {
        if (signal.aborted) return;
        logger.warn({ err }, "cannot reach etcd; retrying");
        await clock.sleep(reconnectAfterMs, signal);
      }
    }
  }

  /** Loads all objects as of one revision. */
  async #load(): Promise<void> {
    const { etcd, keys, cache } = this.#parts;
    const prefix = Buffer.from(`${keys.root}/`);
    const end = endOfPrefix(prefix);
    const objects: (readonly [string, StoredObject])[] = [];
    let revision = 0;
    let from = prefix;
    for (;;) {
      const page = await etcd.kv.range({ key: from, range_end: end, limit: pageSize, revision });
      revision ||= Number(page.header.revision);
      for (const entry of page.kvs) {
        const key = keys.fromEtcd(entry.key.toString());
        const object = key === undefined ? undefined : this.#objectIn(entry);
        if (key !== undefined && object) objects.push([key, object]);
      }
      const last = page.kvs.at(-1);
      if (!page.more || !last) break;
      from = Buffer.concat([last.key, Buffer.from([0])]);
    }
    cache.reset({ resourceVersion: revision, objects });
  }

  /** Follows changes until the stream ends. Resolves to true if the stream ended because the next revision has been compacted. */
  async #follow(): Promise<boolean> {
    const { etcd, keys, cache } = this.#parts;
    const { signal } = this.#closing;
    const stream = await etcd.watchClient.watch();
    const prefix = Buffer.from(`${keys.root}/`);
    return new Promise<boolean>((resolve, reject) => {
      const leave = (): void => {
        this.#requestProgress = () => {};
        signal.removeEventListener("abort", onAbort);
      };
      const stop = (compacted: boolean): void => {
        leave();
        stream.cancel();
        resolve(compacted);
      };
      const onAbort = (): void => stop(false);
      const fail = (error: unknown): void => {
        leave();
        if (signal.aborted) resolve(false);
        else reject(error);
      };
      stream.on("error", fail);
      stream.on("end", () => stop(false));
      stream.on("data", (response: IWatchResponse) => {
        if (response.canceled) return stop(Number(response.compact_revision) > 0);
        try {
          this.#take(response);
        } catch (error) {
          stream.cancel();
          fail(error); // without this, the error would be lost or would end the process
        }
      });
      if (signal.aborted) return stop(false);
      signal.addEventListener("abort", onAbort, { once: true });
      stream.write({
        create_request: {
          key: prefix,
          range_end: endOfPrefix(prefix),
          start_revision: cache.currentResourceVersion + 1,
          progress_notify: true,
        },
      });
      this.#requestProgress = () => stream.write({ progress_request: {} });
      return undefined;
    });
  }

  #take(response: IWatchResponse): void {
    const { keys, cache } = this.#parts;
    for (const { type, kv } of response.events) {
      const revision = Number(kv.mod_revision);
      const key = keys.fromEtcd(kv.key.toString());
      const previous = key === undefined ? undefined : cache.get(key);
      const deleted = String(type).toUpperCase() === "DELETE";
      const object = deleted ? previous && withVersion(previous, revision) : this.#objectIn(kv);
      if (key !== undefined && object)
        cache.apply({ key, resourceVersion: revision, object, deleted, ...(previous ? { previous } : {}) });
    }
    const isProgress = response.events.length === 0 && !response.created;
    const revision = Number(response.header.revision);
    if (isProgress && revision > cache.currentResourceVersion) cache.advance(revision);
  }

  /**
   * Returns the object in an entry. Logs a value that cannot be decoded and returns `undefined`, so that other objects are not affected.
   */
  #objectIn(entry: IKeyValue): StoredObject | undefined {
    try {
      return decodeValue(entry.value, Number(entry.mod_revision));
    } catch (err) {
      this.#parts.logger.error({ err, key: entry.key.toString() }, "cannot read a value in etcd");
      return undefined;
    }
  }
}

const withVersion = (object: StoredObject, revision: number): StoredObject =>
  freezeTree(objectVersioner.updateObject(object, revision));
