import type { DeepReadonly, DeletedFinalStateUnknown, KubeObject, Stored } from "@kubewright/apimachinery";
import type { Clock, EventLoopShare } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ChangeSink } from "../store/delta-fifo.ts";
import { versionOf } from "../store/object-meta.ts";
import type { ResourceEventHandler } from "./event-handler.ts";
import { Listener, type Notification } from "./listener.ts";
import { atLeastMinimum, fitToCheckPeriod, ResyncSchedule } from "./resync-schedule.ts";

interface SharedProcessorOptions {
  readonly clock: Clock;
  /** The time used for applying changes and notifying handlers. */
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
 * The handlers of an informer. Each change goes to all of them, a resync to those that are due.
 *
 * @see client-go tools/cache/shared_informer.go sharedProcessor
 */
export class SharedProcessor<T extends KubeObject> implements ChangeSink<Stored<DeepReadonly<T>>> {
  readonly #clock: Clock;
  readonly #share: EventLoopShare;
  readonly #listeners = new Set<Listener<T>>();
  /**
   * Handlers that were added by another handler while an entry was being applied. They have already been notified of the store's content
   * after that entry.
   */
  readonly #addedMeanwhile = new Set<Listener<T>>();
  #isApplying = false;
  #isGivenUp = false;
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
   * @param stored content of the store, of which the handler is notified first; `undefined` before the informer has started
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
    if (this.#isGivenUp) listener.giveUp();
    if (this.#isApplying) this.#addedMeanwhile.add(listener);
    else this.#share.resume();
    for (const object of stored ?? []) listener.notify({ type: "added", object, isInInitialList: true });
    if (!this.#isApplying) this.#share.pause();
    return listener;
  }

  /** Applies changes to the store, which are reported through the methods of {@link ChangeSink}. */
  whileApplying(apply: () => void): void {
    this.#share.resume();
    this.#isApplying = true;
    try {
      apply();
    } finally {
      this.#isApplying = false;
      this.#share.pause();
    }
  }

  onAdd(object: Stored<DeepReadonly<T>>, isInInitialList: boolean): void {
    this.#distribute({ type: "added", object, isInInitialList });
  }

  /** An update to the same version is reported as a resync. */
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
  giveUp(): void {
    this.#isGivenUp = true;
    for (const listener of this.#listeners) listener.giveUp();
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

  /** Before the start, a period shorter than the check period lowers the check period; afterwards, the period is raised to it. */
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
