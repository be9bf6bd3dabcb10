import {
  type DeepReadonly,
  type DeletedFinalStateUnknown,
  isDeletedFinalStateUnknown,
  type KubeObject,
  type Stored,
} from "@kubewright/apimachinery";
import { type Clock, EventLoopShare } from "@kubewright/clock";
import { type Logger, safeLogger } from "@kubewright/log";
import type { Delta } from "../store/delta-fifo.ts";
import { type ChangeSink, type Indexer, processDeltas } from "../store/indexer.ts";
import { deletionHandlingKeyOf, versionOf } from "../store/object-meta.ts";
import type { HandlerRegistration, ResourceEventHandler } from "./event-handler.ts";
import { SyncTracker } from "./waiting.ts";

interface SharedProcessorOptions {
  readonly clock: Clock;
  /** Time slice for applying changes and notifying handlers. */
  readonly share: EventLoopShare;
  /** Interval in milliseconds for checking which handlers are due for a resync; 0 means never. */
  readonly resyncCheckMs: number;
}

/** Settings of a handler in a {@link SharedProcessor}. */
interface ListenerSettings {
  readonly name: string;
  readonly logger: Logger;
  /** Requested resync period in milliseconds; 0 means none. */
  readonly resyncMs: number;
}

/**
 * Distributes an informer's changes to its handlers. Every change is delivered to all handlers; a resync is delivered
 * only to the handlers for which one is due.
 *
 * @see client-go tools/cache/shared_informer.go sharedProcessor
 */
export class SharedProcessor<T extends KubeObject> implements ChangeSink<Stored<DeepReadonly<T>>> {
  readonly #clock: Clock;
  readonly #share: EventLoopShare;
  readonly #listeners = new Set<Listener<T>>();
  /**
   * Handlers that another handler added while an entry was being applied. They have already been notified of the store's content after that
   * entry.
   */
  readonly #addedMeanwhile = new Set<Listener<T>>();
  #isApplying = false;
  #isAborted = false;
  #resyncCheckMs: number;

  constructor(options: SharedProcessorOptions) {
    this.#clock = options.clock;
    this.#share = options.share;
    this.#resyncCheckMs = options.resyncCheckMs;
  }

  /** Interval in milliseconds for checking which handlers are due for a resync; 0 means never. */
  get resyncCheckMs(): number {
    return this.#resyncCheckMs;
  }

  /** True while a handler has not finished with its notifications. */
  get isDelivering(): boolean {
    for (const { isBusy } of this.#listeners) if (isBusy) return true;
    return false;
  }

  /**
   * Adds a handler.
   *
   * @param stored the store's content, which the handler receives first; `undefined` before the informer has started
   */
  add(
    handler: ResourceEventHandler<T>,
    { name, logger, resyncMs }: ListenerSettings,
    stored: readonly Stored<DeepReadonly<T>>[] | undefined,
  ): Listener<T> {
    const listener: Listener<T> = new Listener(handler, {
      name,
      logger,
      clock: this.#clock,
      resyncs: this.#planResyncs(resyncMs, logger, stored !== undefined),
      share: this.#share,
      onRemove: () => this.#listeners.delete(listener),
    });
    this.#listeners.add(listener);
    if (this.#isAborted) listener.abort();
    if (this.#isApplying) this.#addedMeanwhile.add(listener);
    else this.#share.resume();
    for (const object of stored ?? []) listener.notify({ type: "added", object, isInInitialList: true });
    if (!this.#isApplying) this.#share.pause();
    return listener;
  }

  /** Applies queue entries to the store and notifies the handlers. @throws the errors of {@link processDeltas} */
  apply(
    deltas: readonly Delta<Stored<DeepReadonly<T>>>[],
    store: Indexer<Stored<DeepReadonly<T>>>,
    isInInitialList: boolean,
  ): void {
    this.#share.resume();
    this.#isApplying = true;
    try {
      processDeltas(deltas, store, this, isInInitialList);
    } finally {
      this.#isApplying = false;
      this.#share.pause();
    }
  }

  onAdd(object: Stored<DeepReadonly<T>>, isInInitialList: boolean): void {
    this.#distribute({ type: "added", object, isInInitialList });
  }

  /** Reports an update to the same version as a resync. */
  onUpdate(old: Stored<DeepReadonly<T>>, object: Stored<DeepReadonly<T>>, isNewHistory = false): void {
    const isResync = versionOf(old) === versionOf(object) && !isNewHistory;
    this.#distribute({ type: "updated", old, object }, isResync);
  }

  onDelete(object: Stored<DeepReadonly<T>> | DeletedFinalStateUnknown<Stored<DeepReadonly<T>>>): void {
    this.#distribute({ type: "deleted", object });
  }

  onSync(object: Stored<DeepReadonly<T>>): void {
    this.#distribute({ type: "updated", old: object, object }, true);
  }

  onApplied(): void {
    this.#addedMeanwhile.clear();
  }

  /** Must be called once all handlers have been notified of the whole initial list. */
  sourceSynced(): void {
    for (const listener of this.#listeners) listener.sourceSynced();
  }

  /** Ends all waits for handlers to sync. */
  abort(): void {
    this.#isAborted = true;
    for (const listener of this.#listeners) listener.abort();
  }

  /** Determines which handlers are due for a resync now. @returns true if any is due */
  checkResyncs(): boolean {
    const now = this.#clock.monotonic();
    let isAnyDue = false;
    for (const { resyncs } of this.#listeners) isAnyDue = resyncs.check(now) || isAnyDue;
    return isAnyDue;
  }

  /** Drops pending notifications. Resolves when the calls in progress have ended. */
  async close(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
  }

  #distribute(notification: Notification<Stored<DeepReadonly<T>>>, isResync = false): void {
    for (const listener of this.#listeners)
      if ((!isResync || listener.resyncs.isDue) && !this.#knowsAlready(listener)) listener.notify(notification);
  }

  #knowsAlready(listener: Listener<T>): boolean {
    return this.#addedMeanwhile.size > 0 && this.#addedMeanwhile.has(listener);
  }

  /**
   * Returns a handler's resync schedule. If the requested period is shorter than the check period, the check period is lowered to it before
   * the start; after the start, the requested period is raised to the check period.
   */
  #planResyncs(requestedMs: number, logger: Logger, hasStarted: boolean): ResyncSchedule {
    const wantedMs = atLeastMinimum(requestedMs, logger);
    if (wantedMs > 0 && wantedMs < this.#resyncCheckMs && !hasStarted) {
      this.#resyncCheckMs = wantedMs;
      for (const { resyncs } of this.#listeners)
        resyncs.setPeriod(fitToCheckPeriod(resyncs.requestedMs, wantedMs, logger));
    }
    const periodMs = fitToCheckPeriod(wantedMs, this.#resyncCheckMs, logger);
    return new ResyncSchedule(wantedMs, periodMs, this.#clock.monotonic());
  }
}

/** A change that is reported to all handlers. They share one notification object. */
type Notification<O> =
  | { readonly type: "added"; readonly object: O; readonly isInInitialList: boolean }
  | { readonly type: "updated"; readonly old: O; readonly object: O }
  | { readonly type: "deleted"; readonly object: O | DeletedFinalStateUnknown<O> };

export interface ListenerOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly resyncs: ResyncSchedule;
  /** Time slice of the code that calls `notify`. */
  readonly share: EventLoopShare;
  readonly onRemove: () => void;
}

const crashPauseMs = 1_000;
/** Number of delivered notifications after which they are removed from the queue, all at once. */
const chunkSize = 1_000;

/**
 * Delivers notifications to one handler in order. A slow handler does not delay other handlers.
 *
 * A handler that keeps up is called synchronously, without promises. Once the handler returns a promise, throws or
 * exceeds its time slice, further notifications are queued and delivered asynchronously.
 *
 * @see client-go tools/cache/shared_informer.go processorListener
 */
export class Listener<T extends KubeObject> implements HandlerRegistration {
  readonly name: string;
  readonly resyncs: ResyncSchedule;
  readonly #handler: ResourceEventHandler<T>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onRemove: () => void;
  readonly #sync = new SyncTracker();
  readonly #notifying: EventLoopShare;
  /** Time slice for asynchronous calls. */
  readonly #own: EventLoopShare;
  readonly #closed = new AbortController();
  #pending: Notification<Stored<DeepReadonly<T>>>[] = [];
  #head = 0;
  #isBusy = false;
  #running: Promise<void> | undefined;

  constructor(handler: ResourceEventHandler<T>, options: ListenerOptions) {
    this.#handler = handler;
    this.name = options.name;
    this.resyncs = options.resyncs;
    this.#clock = options.clock;
    this.#logger = safeLogger(options.logger);
    this.#onRemove = options.onRemove;
    this.#notifying = options.share;
    this.#own = EventLoopShare.paused(options.clock);
  }

  /** True while notifications are queued or a call is in progress. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  get hasSynced(): boolean {
    return this.#sync.hasSynced;
  }

  synced(signal?: AbortSignal): Promise<boolean> {
    return this.#sync.synced(signal);
  }

  async remove(): Promise<void> {
    this.#onRemove();
    await this.close();
  }

  /** Drops queued notifications. Resolves when the call in progress has ended. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#sync.abort();
    await this.#running;
  }

  /** Ends all waits for {@link synced}. */
  abort(): void {
    this.#sync.abort();
  }

  /** Must be called once the handler has been notified of the whole initial list. */
  sourceSynced(): void {
    this.#sync.sourceSynced();
  }

  /** Calls the handler now if it is idle; queues the notification otherwise. */
  notify(notification: Notification<Stored<DeepReadonly<T>>>): void {
    if (this.#closed.signal.aborted) return;
    if (isInitial(notification)) this.#sync.start();
    this.#pending.push(notification);
    if (!this.#isBusy) this.#drain(this.#notifying);
  }

  /** Delivers queued notifications until a call returns a promise or the time slice is used up. The others follow later. */
  #drain(share: EventLoopShare): void {
    this.#isBusy = true;
    for (let next = this.#shift(); next; next = this.#shift()) {
      const waiting = this.#call(next);
      if (waiting) {
        this.#own.resume();
        this.#running = waiting.then(() => this.#drainOn());
        return;
      }
      if (share.isUsedUp()) {
        this.#drainInNextTurn();
        return;
      }
    }
    this.#own.pause();
    this.#isBusy = false;
  }

  /**
   * Continues after a promise has settled. First yields to the event loop if the time slice is used up, because timers and sockets are not
   * served while only promises settle.
   */
  #drainOn(): void {
    if (this.#own.isUsedUp()) this.#drainInNextTurn();
    else this.#drain(this.#own);
  }

  #drainInNextTurn(): void {
    this.#running = this.#own.nextTurn().then(() => {
      this.#own.resume();
      this.#drain(this.#own);
    });
  }

  /** @returns a promise to await before the next call, if any. It never rejects. */
  #call(notification: Notification<Stored<DeepReadonly<T>>>): Promise<void> | undefined {
    try {
      const result: unknown = this.#deliver(notification);
      if (isThenable(result))
        return Promise.resolve(result).then(
          () => this.#finished(notification),
          (error: unknown) => this.#pause(error, notification),
        );
    } catch (error) {
      return this.#pause(error, notification);
    }
    this.#finished(notification);
    return undefined;
  }

  async #pause(err: unknown, { type, object }: Notification<unknown>): Promise<void> {
    const key = deletionHandlingKeyOf(object);
    this.#logger.error({ err, handler: this.name, notification: type, object: key }, "event handler threw");
    await this.#clock.sleep(crashPauseMs, this.#closed.signal);
  }

  /**
   * Records that the handler has processed a notification. Not called if the handler failed: it has then not processed the whole initial
   * list, so it never counts as synced.
   */
  #finished(notification: Notification<unknown>): void {
    if (isInitial(notification)) this.#sync.finished();
  }

  #deliver(notification: Notification<Stored<DeepReadonly<T>>>): void | Promise<void> {
    const handler = this.#handler;
    if (notification.type === "added") return handler?.added?.(notification.object, notification.isInInitialList);
    if (notification.type === "updated") return handler?.updated?.(notification.old, notification.object);
    const { object } = notification;
    return isDeletedFinalStateUnknown(object)
      ? handler?.deleted?.(object.object, true)
      : handler?.deleted?.(object, false);
  }

  #shift(): Notification<Stored<DeepReadonly<T>>> | undefined {
    const next = this.#closed.signal.aborted ? undefined : this.#pending[this.#head++];
    if (next === undefined || this.#head > chunkSize) {
      this.#pending = next === undefined ? [] : this.#pending.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }
}

const isInitial = (notification: Notification<unknown>): boolean =>
  notification.type === "added" && notification.isInInitialList;

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

const minimumResyncMs = 1_000;

/** Schedule of one handler's resyncs. Times are monotonic milliseconds of the clock. */
class ResyncSchedule {
  /** The period requested for the handler, in milliseconds. */
  readonly requestedMs: number;
  #periodMs: number;
  #nextMs: number;
  /** True if the handler takes part in the resync in progress. */
  isDue = false;

  constructor(requestedMs: number, periodMs: number, nowMs: number) {
    this.requestedMs = requestedMs;
    this.#periodMs = periodMs;
    this.#nextMs = nowMs + periodMs;
  }

  setPeriod(ms: number): void {
    this.#periodMs = ms;
  }

  /** Sets {@link isDue}, and schedules the next resync if one is due now. */
  check(nowMs: number): boolean {
    this.isDue = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isDue) this.#nextMs = nowMs + this.#periodMs;
    return this.isDue;
  }
}

/** Returns the requested period, or one second if the period is shorter. 0 means never. */
function atLeastMinimum(requestedMs: number, logger: Logger): number {
  if (!(requestedMs > 0)) return 0;
  if (requestedMs >= minimumResyncMs) return requestedMs;
  logger.warn({ requestedMs, resyncMs: minimumResyncMs }, "resync period is too short; using the minimum");
  return minimumResyncMs;
}

/**
 * Returns a handler's resync period, raised to the informer's check period if necessary. 0 means never.
 *
 * @see client-go tools/cache determineResyncPeriod
 */
function fitToCheckPeriod(requestedMs: number, checkMs: number, logger: Logger): number {
  if (requestedMs === 0) return 0;
  if (checkMs === 0) {
    logger.warn({ requestedMs }, "resync period is ignored: this informer does not resync");
    return 0;
  }
  if (requestedMs >= checkMs) return requestedMs;
  logger.warn(
    { requestedMs, resyncMs: checkMs },
    "resync period is shorter than the informer's check period; using the check period",
  );
  return checkMs;
}
