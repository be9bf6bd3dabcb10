import {
  compareResourceVersions,
  type DeepReadonly,
  groupKindKey,
  isNotFound,
  joinKey,
  type KeyLike,
  type Kind,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type Stored,
} from "@kubewright/apimachinery";
import {
  aroundWrites,
  type GetOptions,
  type KubeList,
  type ListOptions,
  type NamedObject,
  type Reader,
  type ReadWriter,
  type SelectionOptions,
  type Target,
  type WriteCall,
  type WriteInterceptor,
  withReader,
} from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ControllerMetrics } from "./controller-metrics.ts";
import { deadline } from "./deadline.ts";
import type { PrioritizedRequest, RequestQueue } from "./request-queue.ts";

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

/** A request that is held until the cache shows its writes. */
export interface HeldRequest {
  /** Start of the wait, in monotonic milliseconds of the clock. */
  readonly sinceMs: number;
  /** Writes that the cache does not show yet. */
  readonly unseen: readonly OwnWrite[];
}

/** Maximum number of objects in a log line. */
const maxNamed = 10;

/**
 * Delays reconciles until the cache shows what the previous reconcile of the same request wrote. If the cache does not show a write in
 * time, the reconcile reads from the server.
 *
 * Held requests do not occupy a worker. The queue treats them as in progress: it does not give them to another worker,
 * and merges repeated additions.
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

  /** Requests that are currently held. */
  get held(): ReadonlyMap<R, HeldRequest> {
    return this.#held;
  }

  /**
   * Reports whether a request from the queue must wait until the cache shows its writes or the timeout has passed. If so, the queue returns
   * the request again later, and the caller must not call `done` for it.
   */
  holds(dequeued: PrioritizedRequest<R>): boolean {
    const unseen = this.#ownWrites.unseen(dequeued.item);
    if (unseen.length === 0) return false;
    const { clock, queue, timeoutMs, metrics } = this.#options;
    const lastMs = unseen.reduce((last, { atMs }) => Math.max(last, atMs), Number.NEGATIVE_INFINITY);
    const leftMs = lastMs + timeoutMs - clock.monotonic();
    if (leftMs < 1) return false; // platform timers fire up to a millisecond early
    queue.hold?.(dequeued.item);
    this.#held.set(dequeued.item, { sinceMs: clock.monotonic(), unseen });
    const wait = this.#wait(dequeued, unseen, leftMs).finally(() => this.#waits.delete(wait));
    this.#waits.add(wait);
    metrics.held.inc();
    return true;
  }

  /**
   * Returns the client for one reconcile. It records writes, and reads objects from the server if the cache does not show their writes in
   * time.
   *
   * @param client client for the writes of this reconcile. Default: the client in the options.
   */
  clientFor(request: R, log: () => Logger, client: ReadWriter = this.#options.client): ReadWriter {
    const { live, metrics } = this.#options;
    const ownWrites = this.#ownWrites;
    const noting = aroundWrites(client, notingWrites(ownWrites, request));
    const unseen = ownWrites.unseen(request);
    if (unseen.length === 0) return noting;
    metrics.liveReads.inc();
    const objects = unseen.slice(0, maxNamed).map(({ kind, key }) => `${kind.kind} ${key}`);
    log().warn(
      { unseen: unseen.length, objects },
      "the cache does not show the previous writes in time; reading from the API server",
    );
    return withReader(noting, new UnseenReader({ reader: client, live, ownWrites, request, unseen }));
  }

  /** Releases all held requests. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#waits);
  }

  async #wait({ item, priority }: PrioritizedRequest<R>, unseen: readonly OwnWrite[], leftMs: number): Promise<void> {
    const { clock, queue } = this.#options;
    const { signal } = this.#stop;
    const limit = deadline(clock, leftMs, signal, "the cache did not show the previous writes in time");
    for (const { shown, gone } of unseen)
      for (const expectation of [...shown, ...gone]) if (!limit.signal.aborted) await expectation.met(limit.signal);
    limit.cancel();
    this.#held.delete(item);
    if (!signal.aborted) {
      // Each cause is added again; otherwise, the causes would be lost.
      const [first, ...others] = queue.causesOf(item);
      for (const cause of [first, ...others]) queue.add(item, { priority, cause });
    }
    queue.done(item);
  }
}

interface UnseenReaderOptions<R> {
  /** Reader for kinds and objects without unseen writes. May be a cache. */
  readonly reader: Reader;
  /** Reader that replaces `reader` where it does not show `unseen` yet. */
  readonly live: Reader;
  readonly ownWrites: OwnWrites<R>;
  readonly request: R;
  /** Writes that the controller no longer waits for. */
  readonly unseen: readonly OwnWrite[];
}

/** Reads of one reconcile. Objects whose writes the cache does not show in time are read from the server, all others from the cache. */
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
      if (object || isWhole) found(object); // with a selector, a missing object may simply not match
    }
    return objects;
  }
}

const isWithin = ({ key }: OwnWrite, namespace: string | undefined): boolean =>
  !namespace || key.startsWith(`${namespace}/`);

/** The expected state of an object that the cache does not show yet. */
export interface ExpectedWrite {
  readonly isMet: boolean;
  /** Resolves to true when the state is shown, or to false if the signal aborts first. */
  met(signal?: AbortSignal): Promise<boolean>;
}

/** Determines what the cache must show after each write by a controller's reconciler. */
export interface ExpectedWrites {
  /** Returns the expectations for a write that returned `object`. The result is empty if the object is not cached. */
  ofWrite(kind: Kind, object: NamedObject): readonly ExpectedWrite[];
  /** Returns the expectations for a deletion. Must be called before the deletion. */
  ofDeletion(kind: Kind, key: KeyLike, uid?: string): readonly ExpectedWrite[];
  /**
   * Returns the expectations for the deletion of all selected objects, keyed by object key. Must be called before the
   * deletion.
   */
  ofDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly ExpectedWrite[]>;
}

/** The members of a cache that a controller needs. Implemented by `InformerCache`. */
export interface ExpectingCache {
  readonly expectations: ExpectedWrites;
  /** Returns a reader that sends the cache's queries to `reader`, including queries by indexed fields. */
  liveReader(reader: Reader): Reader;
}

/** A write that the cache may not show yet. */
export interface OwnWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** Time of the response, in monotonic milliseconds of the clock. */
  readonly atMs: number;
  readonly uid: string | undefined;
  /** Version of the written object. Empty for a deletion, whose response contains no version. */
  readonly resourceVersion: string;
  /** Expectations for the written version of the object. */
  readonly shown: readonly ExpectedWrite[];
  /** Expectations for the deletion of the object, if it was requested. */
  readonly gone: readonly ExpectedWrite[];
}

/** Number of requests with pending writes at which writes that the cache shows by now are removed. */
const sweepAt = 1_000;

const none: readonly OwnWrite[] = [];

/**
 * Stores the writes made by a controller's reconciles, grouped by request, until the cache shows them. Checking a
 * request without writes takes a single map lookup.
 */
export class OwnWrites<R> {
  readonly #expectations: ExpectedWrites;
  readonly #clock: Clock;
  readonly #byRequest = new Map<R, Map<string, OwnWrite>>();
  #sweepAt = sweepAt;

  constructor(expectations: ExpectedWrites, clock: Clock) {
    this.#expectations = expectations;
    this.#clock = clock;
  }

  /** Returns a request's writes that the cache does not show yet. */
  unseen(request: R): readonly OwnWrite[] {
    const writes = this.#byRequest.get(request);
    if (!writes) return none;
    for (const [id, { shown, gone }] of writes) if (areMet(shown) && areMet(gone)) writes.delete(id);
    if (writes.size > 0) return [...writes.values()];
    this.#byRequest.delete(request);
    return none;
  }

  /** Records the result of a write. Only the newest write to an object is stored. A requested deletion is kept. */
  note(request: R, kind: Kind, object: NamedObject): void {
    const shown = this.#expectations.ofWrite(kind, object);
    const known = this.#find(request, kind, keyOfTarget(object));
    if (shown.length === 0 && !known) return;
    const write = this.#writeOf(kind, object, shown);
    if (known && isNewer(known.resourceVersion, write.resourceVersion)) return;
    const gone = known && known.uid === write.uid ? known.gone : [];
    this.#put(request, { ...write, gone });
  }

  /** Returns the expectations to pass to {@link noteDeletion} after the deletion. */
  expectDeletion(request: R, kind: Kind, key: ObjectKey, uid: string | undefined): readonly ExpectedWrite[] {
    return this.#expectations.ofDeletion(kind, key, uid ?? this.#find(request, kind, key)?.uid);
  }

  expectDeletions(kind: Kind, selection: SelectionOptions): ReadonlyMap<ObjectKey, readonly ExpectedWrite[]> {
    return this.#expectations.ofDeletions(kind, selection);
  }

  noteDeletion(request: R, kind: Kind, key: ObjectKey, gone: readonly ExpectedWrite[]): void {
    if (gone.length === 0) return;
    const { uid, resourceVersion = "", shown = [] } = this.#find(request, kind, key) ?? {};
    this.#put(request, { kind, key, uid, resourceVersion, shown, gone, atMs: this.#clock.monotonic() });
  }

  /**
   * Must be called before a live read that makes it unnecessary to wait for an unseen write. Pass the result of the
   * read to the returned function; from then on, the cache must catch up with that result. This ensures that no read
   * returns an older state than a previous one, and that the controller does not wait forever if the server was
   * restored to an older state.
   */
  liveRead(request: R, { kind, key }: OwnWrite): (found: NamedObject | undefined) => void {
    const before = this.#find(request, kind, key);
    return (found) => {
      if (!before || this.#find(request, kind, key) !== before) return; // written again in the meantime
      const write = found
        ? this.#writeOf(kind, found, this.#expectations.ofWrite(kind, found))
        : { ...before, resourceVersion: "", shown: [], gone: this.#expectations.ofDeletion(kind, key) };
      this.#put(request, { ...write, atMs: before.atMs });
    };
  }

  #writeOf(kind: Kind, object: NamedObject, shown: readonly ExpectedWrite[]): OwnWrite {
    const { uid, resourceVersion = "" } = object.metadata as NamedObject["metadata"] & { readonly uid?: string };
    return { kind, key: keyOfTarget(object), uid, resourceVersion, shown, gone: [], atMs: this.#clock.monotonic() };
  }

  #find(request: R, kind: Kind, key: ObjectKey): OwnWrite | undefined {
    return this.#byRequest.get(request)?.get(idOf(kind, key));
  }

  #put(request: R, write: OwnWrite): void {
    const writes = this.#byRequest.get(request);
    const id = idOf(write.kind, write.key);
    if (writes) writes.set(id, write);
    else this.#byRequest.set(request, new Map([[id, write]]));
    if (this.#byRequest.size < this.#sweepAt) return;
    for (const each of [...this.#byRequest.keys()]) this.unseen(each);
    this.#sweepAt = Math.max(sweepAt, 2 * this.#byRequest.size);
  }
}

/**
 * Returns an interceptor that records the writes for one request. Dry runs are not recorded because they change
 * nothing.
 */
export function notingWrites<R>(ownWrites: OwnWrites<R>, request: R): WriteInterceptor {
  return async (call, next) => {
    const { kind } = call;
    if (call.options.dryRun) return next(call);
    if (call.verb === "deleteCollection") {
      const expected = ownWrites.expectDeletions(kind, call.options);
      const answer = await next(call);
      for (const [key, gone] of expected) ownWrites.noteDeletion(request, kind, key, gone);
      return answer;
    }
    if (call.verb === "delete" || (call.verb === "create" && call.subResource === "eviction")) {
      const key = keyOfTarget(call.object);
      const uid = call.verb === "delete" ? call.options.preconditions?.uid : undefined;
      const gone = ownWrites.expectDeletion(request, kind, key, uid);
      try {
        const answer = await next(call);
        ownWrites.noteDeletion(request, kind, key, gone);
        return answer;
      } catch (error) {
        // A deletion that finds no object is also recorded, because it shows that the cache is outdated.
        if (isNotFound(error)) ownWrites.noteDeletion(request, kind, key, gone);
        throw error;
      }
    }
    const answer = await next(call);
    const written = writtenObject(call, answer);
    if (written) ownWrites.note(request, kind, written);
    return answer;
  };
}

/**
 * Returns the object in the version that a write returned. For a subresource, the response may be the object, another body with the
 * object's version, or neither.
 */
function writtenObject({ subResource, object }: WriteCall, answer: unknown): NamedObject | undefined {
  if (!hasMetadata(answer)) return undefined;
  if (subResource === undefined || subResource === "status") return answer;
  if (!answer.metadata.resourceVersion) return undefined;
  return { metadata: { ...answer.metadata, name: object.metadata.name, namespace: object?.metadata.namespace } };
}

const hasMetadata = (answer: unknown): answer is NamedObject =>
  isObject(answer) && "metadata" in answer && isObject(answer.metadata);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Returns the key of the object that a call targets. */
export function keyOfTarget(target: Target): ObjectKey {
  if (typeof target !== "string" && "metadata" in target)
    return joinKey(target.metadata.namespace, target.metadata.name);
  return keyFrom(target);
}

const keyFrom = (key: KeyLike): ObjectKey => (typeof key === "string" ? key : joinKey(key.namespace, key.name));

const isOf = (write: OwnWrite, kind: Kind): boolean => groupKindKey(write.kind) === groupKindKey(kind);

const idOf = (kind: Kind, key: KeyLike): string => `${groupKindKey(kind)} ${key}`;

const isNewer = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) > 0;

const areMet = (expectations: readonly ExpectedWrite[]): boolean => expectations.every(({ isMet }) => isMet);
