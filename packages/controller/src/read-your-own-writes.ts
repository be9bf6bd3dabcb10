import {
  type DeepReadonly,
  isNotFound,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  type Stored,
} from "@kubewright/apimachinery";
import {
  aroundWrites,
  type GetOptions,
  type KubeList,
  type ListOptions,
  type Reader,
  type ReadWriter,
  withReader,
} from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ControllerMetrics } from "./controller-metrics.ts";
import { deadline } from "./deadline.ts";
import { type ExpectedWrites, isOf, keyFrom, notingWrites, type OwnWrite, OwnWrites } from "./own-writes.ts";
import type { RequestQueue, Taken } from "./request-queue.ts";

export interface ReadYourOwnWritesOptions<R> {
  readonly client: ReadWriter;
  readonly expectations: ExpectedWrites;
  readonly live: Reader;
  readonly queue: RequestQueue<R>;
  readonly clock: Clock;
  /** Maximum wait after a write, in milliseconds. */
  readonly timeoutMs: number;
  readonly metrics: Pick<ControllerMetrics, "held" | "liveReads">;
}

/** A request that is held back. */
export interface HeldRequest {
  /** In the clock's monotonic milliseconds. */
  readonly sinceMs: number;
  /** Writes that the cache does not show yet. */
  readonly unseen: readonly OwnWrite[];
}

/** Maximum number of objects in a log line. */
const mostNamed = 10;

/**
 * Delays reconciles until the cache shows what the previous reconcile of the same request wrote; if the cache does not show a write in
 * time, the reconcile reads from the server.
 *
 * Requests that are held back wait without a worker. The queue treats them as in progress, so that no other worker gets them and further
 * additions are merged.
 *
 */
export class ReadYourOwnWrites<R> {
  readonly #options: ReadYourOwnWritesOptions<R>;
  readonly #ownWrites: OwnWrites<R>;
  readonly #held = new Map<R, HeldRequest>();
  readonly #waits = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: ReadYourOwnWritesOptions<R>) {
    this.#options = options;
    this.#ownWrites = new OwnWrites(options.expectations, options.clock);
  }

  /** Requests that are currently held back. */
  get held(): ReadonlyMap<R, HeldRequest> {
    return this.#held;
  }

  /**
   * Reports whether a request that was taken from the queue must wait until the cache shows its writes, or the timeout has passed. It is
   * then returned by the queue again, and `done` must not be called for it.
   */
  holds(taken: Taken<R>): boolean {
    const unseen = this.#ownWrites.unseen(taken.item);
    if (unseen.length === 0) return false;
    const { clock, queue, timeoutMs, metrics } = this.#options;
    const lastMs = unseen.reduce((last, { atMs }) => Math.max(last, atMs), Number.NEGATIVE_INFINITY);
    const leftMs = lastMs + timeoutMs - clock.monotonic();
    if (leftMs < 1) return false; // platform timers fire up to a millisecond early
    queue.hold?.(taken.item);
    this.#held.set(taken.item, { sinceMs: clock.monotonic(), unseen });
    const wait = this.#wait(taken, unseen, leftMs).finally(() => this.#waits.delete(wait));
    this.#waits.add(wait);
    metrics.held.inc();
    return true;
  }

  /** Returns the client for one reconcile: its writes are recorded, and writes that the cache does not show in time are read live. */
  clientFor(request: R, log: () => Logger): ReadWriter {
    const { client, live, metrics } = this.#options;
    const ownWrites = this.#ownWrites;
    const noting = aroundWrites(client, notingWrites(ownWrites, request));
    const unseen = ownWrites.unseen(request);
    if (unseen.length === 0) return noting;
    metrics.liveReads.inc();
    const objects = unseen.slice(0, mostNamed).map(({ kind, key }) => `${kind.kind} ${key}`);
    log().warn({ unseen: unseen.length, objects }, "the cache did not catch up with own writes in time; reading live");
    return withReader(noting, new UnseenReader({ reader: client, live, ownWrites, request, unseen }));
  }

  /** Releases all held requests. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#waits);
  }

  async #wait({ item, priority }: Taken<R>, unseen: readonly OwnWrite[], leftMs: number): Promise<void> {
    const { clock, queue } = this.#options;
    const { signal } = this.#stop;
    const limit = deadline(clock, leftMs, signal, "own writes were not seen in time");
    for (const { shown, gone } of unseen)
      for (const expectation of [...shown, ...gone]) if (!limit.signal.aborted) await expectation.met(limit.signal);
    limit.cancel();
    this.#held.delete(item);
    if (!signal.aborted) {
      // Added with their causes, which would be lost otherwise.
      const [first, ...others] = queue.causesOf(item);
      for (const cause of [first, ...others]) queue.add(item, { priority, cause });
    }
    queue.done(item);
  }
}

interface UnseenReaderOptions<R> {
  /** Reader for kinds and objects without unseen writes; may be a cache. */
  readonly reader: Reader;
  /** Used instead of `reader` if that is behind `unseen`. */
  readonly live: Reader;
  readonly ownWrites: OwnWrites<R>;
  readonly request: R;
  /** Writes that the controller no longer waits for. */
  readonly unseen: readonly OwnWrite[];
}

/** The reads of one reconcile: live for objects whose writes the cache does not show in time, otherwise from the cache. */
class UnseenReader<R> implements Reader {
  readonly #options: UnseenReaderOptions<R>;

  constructor(options: UnseenReaderOptions<R>) {
    this.#options = options;
  }

  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>> {
    const { unseen, reader } = this.#options;
    const wanted = keyFrom(key);
    const write = unseen.find((each) => each.key === wanted && isOf(each, kind));
    return write ? this.#getLive(kind, write, options) : reader.get(kind, key, options);
  }

  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const { unseen, reader } = this.#options;
    const writes = unseen.filter((each) => isOf(each, kind) && isWithin(each, options.namespace));
    return writes.length > 0 ? this.#listLive(kind, writes, options) : reader.list(kind, options);
  }

  async #getLive<T extends KubeObject>(
    kind: Kind<T>,
    write: OwnWrite,
    options?: GetOptions,
  ): Promise<Stored<DeepReadonly<T>>> {
    const { live, ownWrites, request } = this.#options;
    const found = ownWrites.liveRead(request, write);
    try {
      const object = await live.get(kind, write.key, options);
      found(object);
      return object;
    } catch (error) {
      if (isNotFound(error)) found(undefined);
      throw error;
    }
  }

  async #listLive<T extends KubeObject>(
    kind: Kind<T>,
    writes: readonly OwnWrite[],
    options: ListOptions,
  ): Promise<KubeList<Stored<DeepReadonly<T>>>> {
    const { live, ownWrites, request } = this.#options;
    const reads = writes.map((write) => ({ key: write.key, found: ownWrites.liveRead(request, write) }));
    const objects = await live.list(kind, options);
    const byKey = new Map(objects.map((object) => [keyOf(object), object]));
    const isWhole = !(options.labels || options.fields || options.limit);
    for (const { key, found } of reads) {
      const object = byKey.get(key);
      if (object || isWhole) found(object); // in a selection, a missing object may simply not match
    }
    return objects;
  }
}

const isWithin = ({ key }: OwnWrite, namespace: string | undefined): boolean =>
  !namespace || key.startsWith(`${namespace}/`);
