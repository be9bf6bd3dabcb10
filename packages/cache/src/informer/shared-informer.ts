import {
  type DeepReadonly,
  type GroupVersionKind,
  gvkKey,
  type KubeObject,
  type ObjectKey,
  type Stored,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import type { ReflectorOptions } from "../reflector/reflector.ts";
import { Reflector } from "../reflector/reflector.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { type Delta, DeltaFIFO } from "../store/delta-fifo.ts";
import { indexErrorLog } from "../store/index-error.ts";
import type { IndexReader } from "../store/index-reader.ts";
import type { Indexers } from "../store/index-set.ts";
import { byNamespace, Indexer, namespaceIndex } from "../store/indexer.ts";
import { Lister } from "../store/lister.ts";
import { processDeltas } from "../store/process-deltas.ts";
import { Claims } from "./claims.ts";
import { type HandlerRegistration, nameOfHandler, type ResourceEventHandler } from "./event-handler.ts";

import { type IncomingOptions, incomingTransform, type Transform } from "./incoming-transform.ts";
import type { InformerMetrics } from "./informer-metrics.ts";
import { Latch } from "./latch.ts";
import { SharedProcessor } from "./shared-processor.ts";
import { Turn } from "./turn.ts";

/**
 * How a {@link SharedInformer} lists, watches and keeps objects, beside what its {@link Reflector} takes.
 *
 * @see client-go tools/cache SharedIndexInformerOptions
 */
export interface SharedInformerOptions<T extends KubeObject>
  extends Omit<ReflectorOptions, "kind" | "shouldResync" | "resyncMs">,
    IncomingOptions<T> {
  /** Objects of another kind are logged and left out. Default: objects of any kind are taken. */
  readonly kind?: GroupVersionKind | undefined;
  /** Indexes beside the one by namespace. */
  readonly indexers?: Indexers<Stored<DeepReadonly<T>>> | undefined;
  /** The resync period of handlers that name none, and how often to check which ones are due. Default 0: never. */
  readonly resyncMs?: number | undefined;
  /** Where to report to. Default: nowhere. */
  readonly metrics?: InformerMetrics | undefined;
}

/** How a {@link SharedInformer} calls one handler. @see client-go tools/cache HandlerOptions */
export interface HandlerOptions {
  /** The resync period, in which the handler is told of every object again. Default: the informer's `resyncMs`. */
  readonly resyncMs?: number | undefined;
  /** For logs. Default: the handler's class, or the names of its methods. */
  readonly name?: string | undefined;
  /** Told of what the handler throws. Default: the informer's. */
  readonly logger?: Logger | undefined;
}

/**
 * One watch and one copy of the objects, shared by any number of handlers and readers.
 *
 * - The store changes before handlers are told: a handler that reads it finds what it is told of, or something newer.
 * - Of each object a handler hears an addition, then updates, then the deletion. No update goes back in time.
 * - A handler that is slow or throws does not hold up the others.
 * - Whatever happens to connections and servers, the store ends up equal to the server's state.
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
  readonly #claims = new Claims();
  readonly #turn: Turn;
  #transform: Transform<T> | undefined;
  #onWatchError: ((error: unknown) => void) | undefined;
  #state: "idle" | "running" | "stopped" = "idle";
  #hasMetricsFailed = false;
  #reflector: Reflector<Stored<DeepReadonly<T>>> | undefined;

  constructor(source: ListerWatcher<T>, options: SharedInformerOptions<T> = {}) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#turn = new Turn(this.#clock);
    this.#logger = safeLogger(options.logger ?? silentLogger);
    this.#transform = options.transform;
    this.#onWatchError = options.onError;
    this.#processor = new SharedProcessor({
      clock: this.#clock,
      turn: this.#turn,
      resyncCheckMs: options.resyncMs ?? 0,
    });
    this.name = options.name ?? options.kind?.kind ?? "informer";
    this.#indexer = new Indexer<Stored<DeepReadonly<T>>>({
      indexers: { [namespaceIndex]: byNamespace, ...options.indexers },
      kind: options.kind ? gvkKey(options.kind) : this.name,
      onIndexError: indexErrorLog(this.#logger),
    });
    this.lister = new Lister(this.#indexer, options.kind);
  }

  /** The store, for reading. */
  get indexer(): IndexReader<Stored<DeepReadonly<T>>> {
    return this.#indexer;
  }

  /** Whether the initial list is in the store. Handlers may still be busy with it: each registration has its own `hasSynced`. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  get hasStarted(): boolean {
    return this.#state !== "idle";
  }

  get isStopped(): boolean {
    return this.#state === "stopped";
  }

  /** True while a handler has yet to take changes that are in the store, or has not ended with one. */
  get isDelivering(): boolean {
    return this.#processor.isDelivering;
  }

  /** The resource version that the watch has reached; empty before the initial list. The store may be a few entries behind. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? "";
  }

  /** Milliseconds since the server was last heard from (an event, a bookmark or a list); infinite before the first time. */
  get ageMs(): number {
    const aliveMs = this.#reflector?.aliveMs;
    return aliveMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - aliveMs;
  }

  /** What last interrupted listing or watching; `undefined` once something has come from the server since. */
  get lastError(): unknown {
    return this.#reflector?.lastError;
  }

  /** How often to check which handlers are due for a resync, in milliseconds; 0: never. */
  get resyncCheckMs(): number {
    return this.#processor.resyncCheckMs;
  }

  /** Resolves to true once {@link hasSynced}; to false if the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean> {
    return this.#synced.wait(signal);
  }

  /** Resolves to true once a claim about the store holds; if the signal aborts or the informer stops first, to whether it holds then. */
  waitUntil(claim: () => boolean, signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(claim()) : this.#claims.wait(claim, signal);
  }

  /** Sets the transform; see `transform` of the options. @throws {Error} if the informer has started */
  setTransform(transform: Transform<T>): void {
    this.#mustBeIdle();
    this.#transform = transform;
  }

  /** Sets what is called with each error that interrupts listing and watching. @throws {Error} if the informer has started */
  setWatchErrorHandler(onError: (error: unknown) => void): void {
    this.#mustBeIdle();
    this.#onWatchError = onError;
  }

  /**
   * Adds indexes, before the start or while running. Stored objects are filed at once.
   *
   * @throws {Error} if the informer has stopped, or an index of that name has another function
   */
  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void {
    if (this.isStopped) throw new Error("indexer was not added because it has stopped already");
    this.#indexer.addIndexers(indexers);
  }

  /**
   * Adds a handler, before the start or while running. A late one is first told of every object that is there.
   *
   * @throws {Error} if the informer has stopped
   */
  addHandler(handler: ResourceEventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    const { name = nameOfHandler(handler), logger = this.#logger } = options;
    if (this.isStopped)
      throw new Error(`handler ${name} was not added to shared informer because it has stopped already`);
    const { resyncMs = this.#options.resyncMs ?? 0 } = options;
    const stored = this.hasStarted ? this.#indexer.list() : undefined;
    const listener = this.#processor.add(handler, { name, logger, resyncMs }, stored);
    if (this.hasSynced) listener.sourceSynced();
    return listener;
  }

  /**
   * Lists and watches until the signal aborts. Resolves when the handlers' calls in progress have ended. Runs only once.
   *
   * @param ending when it aborts, nobody waits for the initial list any more: the end is near
   */
  async run(signal: AbortSignal, ending?: AbortSignal): Promise<void> {
    if (this.#state !== "idle") {
      this.#logger.warn({ informer: this.name }, "the informer has started already, it runs only once");
      return;
    }
    this.#state = "running";
    const giveUp = (): void => this.#giveUp();
    if (ending?.aborted) giveUp();
    ending?.addEventListener("abort", giveUp, { once: true });
    const fifo = new DeltaFIFO<Stored<DeepReadonly<T>>>({
      transform: incomingTransform({ ...this.#options, transform: this.#transform }),
    });
    // The source makes objects of type T, of which the store has a read-only view.
    const { managedFields, deferBodies = true, freeze = true } = this.#options;
    const stored = (key: ObjectKey): object | undefined => this.#indexer.get(key);
    const defers = deferBodies && !this.#transform;
    const deferring = defers ? this.#source.deferring?.(managedFields, stored, freeze) : undefined;
    const source = (deferring ?? this.#source) as ListerWatcher<unknown> as ListerWatcher<Stored<DeepReadonly<T>>>;
    this.#reflector = new Reflector(source, fifo, {
      ...this.#options,
      name: this.name,
      onError: this.#onWatchError,
      resyncMs: this.#processor.resyncCheckMs,
      shouldResync: () => this.#processor.checkResyncs(),
    });
    const processing = this.#process(fifo);
    try {
      await this.#reflector.run(signal);
    } finally {
      fifo.close();
      await processing;
      this.#state = "stopped";
      ending?.removeEventListener("abort", giveUp);
      this.#giveUp();
      this.#claims.release();
      await this.#processor.close();
    }
  }

  /** Lets go whoever waits for the initial list. */
  #giveUp(): void {
    this.#synced.giveUp();
    this.#processor.giveUp();
  }

  async #process(fifo: DeltaFIFO<Stored<DeepReadonly<T>>>): Promise<void> {
    for (;;) {
      const isOpen = await fifo.popBatch((deltas, isInInitialList) => {
        const startedMs = this.#clock.monotonic();
        this.#processor.whileApplying(() => this.#apply(deltas, isInInitialList));
        this.#measure(fifo.length, startedMs);
      });
      if (!isOpen) return;
      this.#claims.check();
      if (fifo.hasSynced && !this.hasSynced) this.#noteSynced();
      if (fifo.length > 0 || this.#turn.isOver) await this.#turn.next();
    }
  }

  #apply(deltas: readonly Delta<Stored<DeepReadonly<T>>>[], isInInitialList: boolean): void {
    try {
      processDeltas(deltas, this.#indexer, this.#processor, isInInitialList);
    } catch (err) {
      this.#logger.error({ err, informer: this.name }, "failed to apply changes");
    }
  }

  #noteSynced(): void {
    this.#synced.open();
    this.#processor.sourceSynced();
  }

  #measure(queued: number, startedMs: number): void {
    const { metrics } = this.#options;
    if (!metrics) return;
    try {
      metrics.queuedItems.set(queued);
      metrics.processingLatency.observe((this.#clock.monotonic() - startedMs) / 1_000);
      const version = Number(this.#indexer.resourceVersion);
      if (Number.isFinite(version)) metrics.storeResourceVersion.set(version);
    } catch (err) {
      const level = this.#hasMetricsFailed ? "debug" : "error";
      this.#hasMetricsFailed = true;
      this.#logger[level]({ err, informer: this.name }, "the informer's metrics threw");
    }
  }

  #mustBeIdle(): void {
    if (this.hasStarted) throw new Error("informer has already started");
  }
}
