import {
  type DeepReadonly,
  type DeletedFinalStateUnknown,
  isDeletedFinalStateUnknown,
  type KubeObject,
  type Stored,
} from "@kubewright/apimachinery";
import { type Clock, EventLoopShare } from "@kubewright/clock";
import { type Logger, safeLogger } from "@kubewright/log";
import { deletionHandlingKeyOf } from "../store/object-meta.ts";
import type { HandlerRegistration, ResourceEventHandler } from "./event-handler.ts";
import type { ResyncSchedule } from "./resync-schedule.ts";
import { SyncTracker } from "./sync-tracker.ts";

/** A change that handlers are notified of. All handlers share one notification. */
export type Notification<O> =
  | { readonly type: "added"; readonly object: O; readonly isInInitialList: boolean }
  | { readonly type: "updated"; readonly old: O; readonly object: O }
  | { readonly type: "deleted"; readonly object: O | DeletedFinalStateUnknown<O> };

export interface ListenerOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly resyncs: ResyncSchedule;
  /** The time used by the work that calls `notify`. */
  readonly share: EventLoopShare;
  readonly onRemove: () => void;
}

const crashPauseMs = 1_000;
/** Number of delivered notifications after which they are dropped from the queue. */
const chunkSize = 1_000;

/**
 * Delivers notifications to one handler, in order. A slow handler does not delay other handlers.
 *
 * A handler that keeps up is called synchronously, without any promise. As soon as it returns one, throws, or a turn is over, the
 * following notifications are queued and delivered asynchronously.
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
  /** The time used by asynchronous calls. */
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

  /** True while notifications are queued, or a call is in progress. */
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
    this.#sync.giveUp();
    await this.#running;
  }

  /** Ends all waits for {@link synced}. */
  giveUp(): void {
    this.#sync.giveUp();
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

  /** Delivers queued notifications until the first promise, or until the time is used up; the rest follows later. */
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

  /** Called after a promise. Promises alone do not give timers and sockets a turn. */
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

  /** Not called if the handler failed: it has not processed the initial list, and has not synced. */
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
