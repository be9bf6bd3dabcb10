import {
  type DeepReadonly,
  type DeletedFinalStateUnknown,
  type GroupVersionKind,
  gvkKey,
  type KubeObject,
  type ObjectKey,
  type Stored,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, silentLogger } from "@kubewright/log";
import type { ReflectorOptions } from "../reflector/reflector.ts";
import { Reflector } from "../reflector/reflector.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import { DeltaFIFO } from "../store/delta-fifo.ts";
import { indexErrorLog } from "../store/index-error.ts";
import type { IndexReader } from "../store/index-reader.ts";
import type { Indexers } from "../store/index-set.ts";
import { byNamespace, Indexer, namespaceIndex } from "../store/indexer.ts";
import { Lister } from "../store/lister.ts";
import { versionOf } from "../store/object-meta.ts";
import { type ChangeSink, processDeltas } from "../store/process-deltas.ts";
import { Claims } from "./claims.ts";
import { nameOfHandler, type ResourceEventHandler } from "./event-handler.ts";
import { type HandlerRegistration, Listener, type Notification } from "./handler-registration.ts";
import { type IncomingOptions, incomingTransform, type Transform } from "./incoming-transform.ts";
import type { InformerMetrics } from "./informer-metrics.ts";
import { Latch } from "./latch.ts";
import { atLeastMinimum, fitToCheckPeriod, ResyncSchedule } from "./resync-schedule.ts";
import { Turn } from "./turn.ts";

export interface SharedInformerOptions<T extends KubeObject>
  extends Omit<ReflectorOptions, "kind" | "shouldResync" | "resyncMs">,
    IncomingOptions<T> {
  readonly kind?: GroupVersionKind | undefined;
  readonly indexers?: Indexers<Stored<DeepReadonly<T>>> | undefined;
  /** Default of handlers that name no resync period, and how often is checked who is due. Default 0: never. */
  readonly resyncMs?: number | undefined;
  readonly metrics?: InformerMetrics | undefined;
}

export interface HandlerOptions {
  /** How often the handler is told of everything again. Default: the informer's `resyncMs`. */
  readonly resyncMs?: number | undefined;
  /** For logs. Default: made up from the handler. */
  readonly name?: string | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * One watch, one copy of the objects, for as many handlers and readers as there are.
 *
 * - The store is changed before handlers are told; a handler that reads it finds what it is told of, or something newer.
 * - Each handler hears, for each object, of an addition, then of updates, then of the deletion, and of no update going back.
 * - One handler's slowness or failure holds up no other.
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
  readonly #listeners = new Set<Listener<T>>();
  /** Those added by a handler that was being told of a change: they were told of the store as it is after it. */
  readonly #addedMeanwhile = new Set<Listener<T>>();
  #isApplying = false;
  readonly #synced = new Latch();
  readonly #claims = new Claims();
  readonly #turn: Turn;
  #transform: Transform<T> | undefined;
  #onWatchError: ((error: unknown) => void) | undefined;
  #checkMs: number;
  #state: "idle" | "running" | "stopped" = "idle";
  #hasMetricsFailed = false;
  #reflector: Reflector<Stored<DeepReadonly<T>>> | undefined;

  constructor(source: ListerWatcher<T>, options: SharedInformerOptions<T> = {}) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#turn = new Turn(this.#clock);
    this.#logger = options.logger ?? silentLogger;
    this.#transform = options.transform;
    this.#onWatchError = options.onError;
    this.#checkMs = options.resyncMs ?? 0;
    this.name = options.name ?? options.kind?.kind ?? "informer";
    this.#indexer = new Indexer<Stored<DeepReadonly<T>>>({
      indexers: { [namespaceIndex]: byNamespace, ...options.indexers },
      kind: options.kind ? gvkKey(options.kind) : this.name,
      onIndexError: indexErrorLog(this.#logger),
    });
    this.lister = new Lister(this.#indexer, options.kind);
  }

  /** The objects, to be read by key, by index or whole. */
  get indexer(): IndexReader<Stored<DeepReadonly<T>>> {
    return this.#indexer;
  }

  /** Whether the whole first state is in the store. Handlers may still be busy with it: each has its own `hasSynced`. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  get hasStarted(): boolean {
    return this.#state !== "idle";
  }

  get isStopped(): boolean {
    return this.#state === "stopped";
  }

  /** The version that the watch has come to; empty before the first state. The store may be a few entries behind. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? "";
  }

  /** How long ago the server last gave a sign of life (an event, a bookmark or a list); infinite before the first. */
  get ageMs(): number {
    const aliveMs = this.#reflector?.aliveMs;
    return aliveMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - aliveMs;
  }

  /** What last interrupted listing or watching, unless something came from the server since. */
  get lastError(): unknown {
    return this.#reflector?.lastError;
  }

  /** How often is checked which handlers are due for a resync; 0 is never. */
  get resyncCheckMs(): number {
    return this.#checkMs;
  }

  /** Resolves when {@link hasSynced} (true), or when the signal aborts or the informer stops first. */
  synced(signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(this.hasSynced) : this.#synced.wait(signal);
  }

  /** Resolves when a claim on the store holds (true), or when the signal aborts or the informer stops first (what holds then). */
  waitUntil(claim: () => boolean, signal?: AbortSignal): Promise<boolean> {
    return this.isStopped ? Promise.resolve(claim()) : this.#claims.wait(claim, signal);
  }

  /** @throws {Error} if the informer has started */
  setTransform(transform: Transform<T>): void {
    this.#mustBeIdle();
    this.#transform = transform;
  }

  /** Called with whatever interrupts listing and watching; it goes on by itself. @throws {Error} if the informer has started */
  setWatchErrorHandler(onError: (error: unknown) => void): void {
    this.#mustBeIdle();
    this.#onWatchError = onError;
  }

  /** Adds indexes, also while running: what is stored already is filed at once. @throws {Error} if stopped, or on a conflict */
  addIndexers(indexers: Indexers<Stored<DeepReadonly<T>>>): void {
    if (this.isStopped) throw new Error("indexer was not added because it has stopped already");
    this.#indexer.addIndexers(indexers);
  }

  /**
   * Adds a handler, before the start or while running; a late one is told first of everything that is there.
   *
   * @throws {Error} if the informer has stopped
   */
  addHandler(handler: ResourceEventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    const { name = nameOfHandler(handler), logger = this.#logger } = options;
    if (this.isStopped)
      throw new Error(`handler ${name} was not added to shared informer because it has stopped already`);
    const listener: Listener<T> = new Listener(handler, {
      name,
      logger,
      clock: this.#clock,
      resyncs: this.#planResyncs(options.resyncMs ?? this.#options.resyncMs ?? 0, logger),
      turn: this.#turn,
      onRemove: () => this.#listeners.delete(listener),
    });
    this.#listeners.add(listener);
    if (this.#isApplying) this.#addedMeanwhile.add(listener);
    else this.#turn.resume();
    if (this.hasStarted)
      for (const object of this.#indexer.list()) listener.notify({ type: "added", object, isInInitialList: true });
    if (!this.#isApplying) this.#turn.pause();
    if (this.hasSynced) listener.sourceSynced();
    return listener;
  }

  /** Lists and watches until the signal aborts, and returns when every handler's call in progress has ended. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "idle") {
      this.#logger.warn({ informer: this.name }, "the informer has started already, it runs only once");
      return;
    }
    this.#state = "running";
    const fifo = new DeltaFIFO<Stored<DeepReadonly<T>>>({
      transform: incomingTransform({ ...this.#options, transform: this.#transform }),
    });
    // A read-only view of T is what T is once it is in the store.
    const { managedFields, deferBodies = true } = this.#options;
    const stored = (key: ObjectKey): object | undefined => this.#indexer.get(key);
    const deferring = deferBodies && !this.#transform ? this.#source.deferring?.(managedFields, stored) : undefined;
    const source = (deferring ?? this.#source) as ListerWatcher<unknown> as ListerWatcher<Stored<DeepReadonly<T>>>;
    this.#reflector = new Reflector(source, fifo, {
      ...this.#options,
      name: this.name,
      onError: this.#onWatchError,
      resyncMs: this.#checkMs,
      shouldResync: () => this.#noteWhoIsDue(),
    });
    const processing = this.#process(fifo);
    try {
      await this.#reflector.run(signal);
    } finally {
      fifo.close();
      await processing;
      this.#state = "stopped";
      this.#synced.release();
      this.#claims.release();
      await Promise.all([...this.#listeners].map((listener) => listener.close()));
    }
  }

  async #process(fifo: DeltaFIFO<Stored<DeepReadonly<T>>>): Promise<void> {
    const sink = this.#sink();
    for (;;) {
      const isOpen = await fifo.popBatch((deltas, isInInitialList) => {
        const startedMs = this.#clock.monotonic();
        this.#turn.resume();
        this.#isApplying = true;
        try {
          processDeltas(deltas, this.#indexer, sink, isInInitialList);
        } catch (err) {
          this.#logger.error({ err, informer: this.name }, "failed to apply changes");
        }
        this.#isApplying = false;
        this.#turn.pause();
        this.#measure(fifo.length, startedMs);
      });
      if (!isOpen) return;
      this.#claims.check();
      if (fifo.hasSynced && !this.hasSynced) this.#noteSynced();
      if (fifo.length > 0 || this.#turn.isOver) await this.#turn.next();
    }
  }

  #sink(): ChangeSink<Stored<DeepReadonly<T>>> {
    return {
      onAdd: (object, isInInitialList) => this.#notifyAll({ type: "added", object, isInInitialList }),
      onUpdate: (old, object, isNewHistory) => {
        const isUnchanged = versionOf(old) === versionOf(object) && !isNewHistory;
        this.#notifyAll({ type: "updated", old, object }, isUnchanged);
      },
      onDelete: (object: Stored<DeepReadonly<T>> | DeletedFinalStateUnknown<Stored<DeepReadonly<T>>>) =>
        this.#notifyAll({ type: "deleted", object }),
      onSync: (object) => this.#notifyAll({ type: "updated", old: object, object }, true),
      onApplied: () => this.#addedMeanwhile.clear(),
    };
  }

  #notifyAll(notification: Notification<Stored<DeepReadonly<T>>>, isResync = false): void {
    for (const listener of this.#listeners)
      if ((!isResync || listener.resyncs.isDue) && !this.#knowsAlready(listener)) listener.notify(notification);
  }

  #knowsAlready(listener: Listener<T>): boolean {
    return this.#addedMeanwhile.size > 0 && this.#addedMeanwhile.has(listener);
  }

  #noteSynced(): void {
    this.#synced.open();
    for (const listener of this.#listeners) listener.sourceSynced();
  }

  #noteWhoIsDue(): boolean {
    const now = this.#clock.monotonic();
    let isAnyDue = false;
    for (const { resyncs } of this.#listeners) isAnyDue = resyncs.check(now) || isAnyDue;
    return isAnyDue;
  }

  /** A period below the check period lowers that before the start; afterwards it is raised to it. */
  #planResyncs(requestedMs: number, logger: Logger): ResyncSchedule {
    const wantedMs = atLeastMinimum(requestedMs, logger);
    if (wantedMs > 0 && wantedMs < this.#checkMs && !this.hasStarted) {
      this.#checkMs = wantedMs;
      for (const { resyncs } of this.#listeners)
        resyncs.setPeriod(fitToCheckPeriod(resyncs.requestedMs, wantedMs, logger));
    }
    return new ResyncSchedule(wantedMs, fitToCheckPeriod(wantedMs, this.#checkMs, logger), this.#clock.monotonic());
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
