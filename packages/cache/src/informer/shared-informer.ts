import {
  type DeepReadonly,
  type GroupVersionKind,
  gvkKey,
  isMetadataOnly,
  type KubeObject,
  type Stored,
} from "@kubewright/apimachinery";
import { type Clock, EventLoopShare, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { type IncomingOptions, incomingTransform, type Transform } from "../body/incoming.ts";
import { Reflector, type ReflectorOptions, resyncPeriod } from "../reflector/reflector.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { type Delta, DeltaFIFO } from "../store/delta-fifo.ts";
import { Indexer, type IndexReader } from "../store/indexer.ts";
import { byNamespace, type Indexers, indexErrorLog, namespaceIndex } from "../store/indexes.ts";
import { Lister } from "../store/lister.ts";
import { type HandlerRegistration, nameOfHandler, type ResourceEventHandler } from "./event-handler.ts";
import type { InformerMetrics } from "./informer-metrics.ts";
import { SharedProcessor } from "./shared-processor.ts";
import { Latch, Waiters } from "./waiting.ts";

/**
 * Options for a {@link SharedInformer}, in addition to those for its {@link Reflector}.
 *
 * @see client-go tools/cache SharedIndexInformerOptions
 */
export interface SharedInformerOptions<T extends KubeObject>
  extends Omit<ReflectorOptions, "kind" | "shouldResync" | "resyncMs">,
    IncomingOptions<T> {
  /** Kind of the objects. Objects of other kinds are skipped and logged. Default: any kind is accepted. */
  readonly kind?: GroupVersionKind | undefined;
  /** Indexes in addition to the index by namespace. Default: none. */
  readonly indexers?: Indexers<Stored<DeepReadonly<T>>> | undefined;
  /**
   * Resync period for handlers that do not set one, and interval for checking which handlers are due for a resync, in milliseconds. Default
   * `false`: no resyncs.
   */
  readonly resyncMs?: number | false | undefined;
  /** Metrics that the informer reports. Default: none. */
  readonly metrics?: InformerMetrics | undefined;
}

/** Options for one handler of a {@link SharedInformer}. @see client-go tools/cache HandlerOptions */
export interface HandlerOptions {
  /**
   * Resync period in milliseconds, after which `updated` is called again for every object. `false` means never. Default: the
   * informer's `resyncMs`.
   */
  readonly resyncMs?: number | false | undefined;
  /** Name for logs. Default: the handler's class, or the names of its methods. */
  readonly name?: string | undefined;
  /** Logger for errors that the handler throws. Default: the informer's logger. */
  readonly logger?: Logger | undefined;
}

/**
 * Watches objects and stores one copy of them, shared by any number of handlers and readers.
 *
 * - The store is updated before handlers are called. A handler that reads the store finds the object that it was called
 *   with, or a newer version of it.
 * - For each object, a handler receives an addition, then updates, then a deletion. It never receives an older version
 *   after a newer one.
 * - A handler that is slow or that throws does not delay the others.
 * - Despite connection and server failures, the store eventually matches the server's state.
 *
 * @see client-go tools/cache/shared_informer.go
 */
export class SharedInformer<T extends KubeObject> {
  readonly name: string;
  readonly lister: Lister<T>;
  readonly #indexer: Indexer<Stored<DeepReadonly<T>>>;
  readonly #source: ListerWatcher<T>;
  readonly #options: SharedInformerOptions<T>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #processor: SharedProcessor<T>;
  readonly #synced = new Latch();
  readonly #waiters = new Waiters();
  readonly #share: EventLoopShare;
  #transform: Transform<T> | undefined;
  #onWatchError: ((error: unknown) => void) | undefined;
  #state: "idle" | "running" | "stopped" = "idle";
  #hasMetricsFailed = false;
  #reflector: Reflector<Stored<DeepReadonly<T>>> | undefined;

  constructor(source: ListerWatcher<T>, options: SharedInformerOptions<T> = {}) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#share = EventLoopShare.paused(this.#clock);
    this.#logger = safeLogger(options.logger ?? silentLogger);
    this.#transform = options.transform;
    this.#onWatchError = options.onError;
    this.#processor = new SharedProcessor({
      clock: this.#clock,
      share: this.#share,
      resyncCheckMs: resyncPeriod(options.resyncMs),
    });
    this.name = options.name ?? options.kind?.kind ?? "informer";
    this.#indexer = new Indexer<Stored<DeepReadonly<T>>>({
      indexers: { [namespaceIndex]: byNamespace, ...options.indexers },
      kind: options.kind ? gvkKey(options.kind) : this.name,
      onIndexError: indexErrorLog(this.#logger),
    });
    this.lister = new Lister(this.#indexer, options.kind);
  }

  /** The store, read-only. */
  get indexer(): IndexReader<Stored<DeepReadonly<T>>> {
    return this.#indexer;
  }

  /** True once the initial list is in the store. Handlers may still be processing it; see each registration's `hasSynced`. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  get hasStarted(): boolean {
    return this.#state !== "idle";
  }

  get isStopped(): boolean {
    return this.#state === "stopped";
  }

  /** True while a handler has not finished with changes that are already in the store. */
  get isDelivering(): boolean {
    return this.#processor.isDelivering;
  }

  /** Resource version that the watch has reached. Empty before the initial list. The store may lag a few entries behind. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? "";
  }

  /** Milliseconds since the server's last event, bookmark or list response. `Infinity` before the first one. */
  get ageMs(): number {
    const aliveMs = this.#reflector?.aliveMs;
    return aliveMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - aliveMs;
  }

  /** The error that last interrupted listing or watching. `undefined` once the server has responded again. */
  get lastError(): unknown {
    return this.#reflector?.lastError;
  }

  /** Interval in milliseconds for checking which handlers are due for a resync; `false` if there are no resyncs. */
  get resyncCheckMs(): number | false {
    return this.#processor.resyncCheckMs || false;
  }

  /** Resolves to true once {@link hasSynced} is true, or to false if the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean> {
    return this.#synced.wait(signal);
  }

  /**
   * Resolves to true once `condition` returns true. If the signal aborts or the informer stops first, resolves to the condition's value at
   * that time.
   */
  waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(condition()) : this.#waiters.wait(condition, signal);
  }

  /** Sets the transform that is applied to incoming objects. @throws {Error} if the informer has started */
  setTransform(transform: Transform<T>): void {
    this.#mustBeIdle();
    this.#transform = transform;
  }

  /** Sets the function that is called with each error that interrupts listing or watching. @throws {Error} if the informer has started */
  setWatchErrorHandler(onError: (error: unknown) => void): void {
    this.#mustBeIdle();
    this.#onWatchError = onError;
  }

  /**
   * Adds indexes before or after the start. Stored objects are indexed immediately.
   *
   * @throws {Error} if the informer has stopped, or an index of that name has a different function
   */
  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void {
    if (this.isStopped) throw new Error("indexer was not added because it has stopped already");
    this.#indexer.addIndexers(indexers);
  }

  /**
   * Adds a handler before or after the start. A handler that is added later first receives every stored object as an addition.
   *
   * @throws {Error} if the informer has stopped
   * @throws {RangeError} if the resync period is not positive
   */
  addHandler(handler: ResourceEventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    const { name = nameOfHandler(handler), logger = this.#logger } = options;
    if (this.isStopped)
      throw new Error(`handler ${name} was not added to shared informer because it has stopped already`);
    const resyncMs = resyncPeriod(options.resyncMs ?? this.#options.resyncMs);
    const stored = this.hasStarted ? this.#indexer.list() : undefined;
    const listener = this.#processor.add(handler, { name, logger, resyncMs }, stored);
    if (this.hasSynced) listener.sourceSynced();
    return listener;
  }

  /**
   * Lists and watches until the signal aborts. Resolves when all handler calls in progress have ended. A second call logs a warning and
   * returns.
   *
   * @param stopping signal that ends all waits for the initial list, because the informer is about to stop
   */
  async run(signal: AbortSignal, stopping?: AbortSignal): Promise<void> {
    if (this.#state !== "idle") {
      this.#logger.warn({ informer: this.name }, "the informer has already started; it can run only once");
      return;
    }
    this.#state = "running";
    const stopWaiting = (): void => this.#stopWaiting();
    if (stopping?.aborted) stopWaiting();
    stopping?.addEventListener("abort", stopWaiting, { once: true });
    const fifo = new DeltaFIFO<Stored<DeepReadonly<T>>>({
      transform: incomingTransform({ ...this.#options, transform: this.#transform }),
    });
    // The source creates objects of type T. The store has a read-only view of them.
    const { managedFields, deferBodies = true, freeze = true } = this.#options;
    const defers = deferBodies && !this.#transform;
    const deferring = defers
      ? this.#source.deferring?.(managedFields, this.#indexer.get.bind(this.#indexer), freeze)
      : undefined;
    const source = (deferring ?? this.#source) as ListerWatcher<unknown> as ListerWatcher<Stored<DeepReadonly<T>>>;
    this.#reflector = new Reflector(source, fifo, {
      ...this.#options,
      name: this.name,
      onError: this.#onWatchError,
      resyncMs: this.resyncCheckMs,
      shouldResync: () => this.#processor.checkResyncs(),
    });
    const processing = this.#process(fifo);
    try {
      await this.#reflector.run(signal);
    } finally {
      fifo.close();
      await processing;
      this.#state = "stopped";
      stopping?.removeEventListener("abort", stopWaiting);
      this.#stopWaiting();
      this.#waiters.release();
      await this.#processor.close();
    }
  }

  /** Lists again now, because the source selects other objects. */
  restart(): void {
    this.#reflector?.restart();
  }

  /** Ends all waits for the initial list. */
  #stopWaiting(): void {
    this.#synced.abort();
    this.#processor.abort();
  }

  async #process(fifo: DeltaFIFO<Stored<DeepReadonly<T>>>): Promise<void> {
    for (;;) {
      let tookMs = 0;
      const isOpen = await fifo.popBatch((deltas, isInInitialList) => {
        const startedMs = this.#clock.monotonic();
        this.#apply(deltas, isInInitialList);
        tookMs = this.#clock.monotonic() - startedMs;
      });
      if (!isOpen) return;
      this.#report(fifo.length, tookMs);
      this.#waiters.check();
      if (fifo.hasSynced && !this.hasSynced) this.#noteSynced();
      if (fifo.length > 0 || this.#share.isUsedUp()) await this.#share.nextTurn();
    }
  }

  /** Applies queue entries. Does not throw. */
  #apply(deltas: readonly Delta<Stored<DeepReadonly<T>>>[], isInInitialList: boolean): void {
    try {
      this.#processor.apply(deltas, this.#indexer, isInInitialList);
    } catch (err) {
      this.#logger.error({ err, informer: this.name }, "failed to apply changes");
    }
    if (this.#source.applied) for (const { type } of deltas) if (type === "replacedAll") this.#source.applied();
  }

  /** Reports the metrics after a batch. Does not throw. */
  #report(queued: number, tookMs: number): void {
    const { metrics } = this.#options;
    if (!metrics) return;
    try {
      metrics.queuedItems.set(queued);
      metrics.processingLatency.observe(tookMs / 1_000);
      const version = Number(this.#indexer.resourceVersion);
      if (Number.isFinite(version)) metrics.storeResourceVersion.set(version);
    } catch (err) {
      const level = this.#hasMetricsFailed ? "debug" : "error";
      this.#hasMetricsFailed = true;
      this.#logger[level]({ err, informer: this.name }, "the informer's metrics threw");
    }
  }

  #noteSynced(): void {
    this.#synced.open();
    this.#processor.sourceSynced();
  }

  #mustBeIdle(): void {
    if (this.hasStarted) throw new Error("informer has already started");
  }
}

/** Returns the {@link gvkKey} of a kind. The key of a `metadataOnly` kind differs from that of the kind itself. */
export const cachedKindKey = (kind: GroupVersionKind): string =>
  isMetadataOnly(kind) ? metadataKey(gvkKey(kind)) : gvkKey(kind);

/** Returns the keys of a kind and of its `metadataOnly` form. */
export function cachedKindKeys(kind: GroupVersionKind): readonly string[] {
  const key = gvkKey(kind);
  return [key, metadataKey(key)];
}

const metadataKey = (key: string): string => `${key} (metadata)`;
