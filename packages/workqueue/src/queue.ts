import { type Clock, systemClock } from "@kubewright/clock";
import { CauseBook, type CauseOptions } from "./collections/cause-book.ts";
import { ItemSet } from "./collections/item-set.ts";
import { Line } from "./collections/line.ts";
import { Waiters } from "./collections/waiters.ts";
import { ItemIterator } from "./item-iterator.ts";
import { QueueMeter } from "./queue-meter.ts";
import type { QueueMetricsProvider } from "./queue-metrics.ts";

/** Order in which waiting items are taken. The default is first in, first out. */
export interface QueueOrder<T> {
  /** Number of waiting items. */
  readonly length: number;
  push(item: T): void;
  /** Removes and returns the next item; `undefined` if none is waiting. */
  shift(): T | undefined;
  /** Called when an item that is already waiting is added again. */
  touch?(item: T): void;
}

/**
 * Name, metrics, order and causes of a {@link Queue}.
 *
 * @see client-go util/workqueue TypedQueueConfig
 */
export interface QueueOptions<T, Cause = never> extends CauseOptions<Cause> {
  /** Name of the queue in metrics. A queue without a name has no metrics. */
  readonly name?: string | undefined;
  /** Makes the queue's metrics; used only with a `name`. Default: none. */
  readonly metrics?: QueueMetricsProvider | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: first in, first out. */
  readonly order?: QueueOrder<T> | undefined;
}

/**
 * A queue of items that need work, each taken at most once at a time.
 *
 * - Fair: items are taken in the order in which they were added, by consumers in the order in which they asked.
 * - Deduplicating: an item added several times before it is taken is taken once.
 * - No item is taken twice before {@link done}; an item added meanwhile returns once after it, at the end of the queue.
 * - After a shutdown, adds are ignored; waiting items can still be taken, then consumers end.
 *
 * Items are compared like in a `Set`, so they are usually strings. Adding, taking and finishing are O(1). Every state change is
 * synchronous; adding creates no promise.
 *
 * @see client-go util/workqueue/queue.go Typed
 */
export class Queue<T, Cause = never> {
  protected readonly clock: Clock;
  protected readonly causes: CauseBook<T, Cause>;
  protected readonly meter: QueueMeter<T> | undefined;
  readonly #order: QueueOrder<T>;
  // An item is in one set, or in both of the last two. The first may be large; an item needs only one add and one delete in it.
  readonly #waiting = new Set<T>();
  readonly #processing = new ItemSet<T>();
  readonly #addedAgain = new ItemSet<T>();
  readonly #waiters = new Waiters<T>();
  #isShuttingDown = false;
  #drained: (() => void)[] = [];

  constructor(options: QueueOptions<T, Cause> = {}) {
    this.clock = options.clock ?? systemClock;
    this.causes = new CauseBook(options);
    this.meter =
      options.metrics && options.name ? new QueueMeter(options.metrics(options.name), this.clock) : undefined;
    this.#order = options.order ?? new Line();
  }

  /** Number of distinct waiting items. */
  get size(): number {
    return this.#order.length;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /**
   * Adds an item that needs work; ignored after a shutdown.
   *
   * @param cause reason, which is kept with those of other adds until the item is done; see {@link causesOf}
   */
  add(item: T, cause?: Cause): void {
    if (this.#isShuttingDown) return;
    if (cause !== undefined) this.causes.note(item, cause);
    if (this.#processing.size > 0 && this.#processing.has(item)) {
      if (this.#addedAgain.has(item)) return;
      this.#addedAgain.add(item);
      this.meter?.added(item);
    } else if (this.#startsWaiting(item)) {
      this.meter?.added(item);
      this.#push(item);
    } else {
      this.#order.touch?.(item);
    }
  }

  /** Returns the next item, or `undefined` if none is waiting. {@link done} must be called for it. */
  tryGet(): T | undefined {
    const item = this.#order.shift();
    if (item === undefined) return undefined;
    this.#waiting.delete(item);
    this.#processing.add(item);
    this.causes.take(item);
    this.meter?.taken(item);
    return item;
  }

  /**
   * Resolves to the next item, once there is one. {@link done} must be called for it.
   *
   * @returns `undefined` when the queue is shut down and empty, or when the signal aborts
   */
  get(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.tryGet();
    if (item !== undefined || this.#isShuttingDown) return Promise.resolve(item);
    return this.#waiters.wait(signal);
  }

  /** Yields every next item, until the queue is shut down and empty or the signal aborts. {@link done} must be called for each. */
  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined> {
    return new ItemIterator(this, signal);
  }

  /** Marks an item as done. If it was added meanwhile, it waits again. Has no effect for an item that is not in progress. */
  done(item: T): void {
    if (!this.#processing.delete(item)) return;
    this.causes.done(item);
    this.meter?.done(item);
    if (this.#addedAgain.size > 0 && this.#addedAgain.delete(item)) {
      this.#waiting.add(item);
      this.#push(item);
    }
    if (this.#drained.length > 0 && this.#isIdle()) this.#releaseDrained();
  }

  /** Excludes the time from now to {@link done} from the work time: the item was taken, and waits for something. */
  hold(item: T): void {
    this.meter?.held(item);
  }

  isProcessing(item: T): boolean {
    return this.#processing.has(item);
  }

  /** Returns the causes of an item that is in progress or waiting. Oldest first, limited in number, without duplicates. */
  causesOf(item: T): readonly Cause[] {
    return this.causes.causesOf(item, this.isProcessing(item));
  }

  /** Ignores adds from now on and returns at once; waiting items can still be taken. Also ends a wait in {@link shutDownWithDrain}. */
  shutDown(): void {
    this.#isShuttingDown = true;
    this.meter?.stop();
    this.#waiters.dismiss();
    this.#releaseDrained();
  }

  /**
   * Shuts down like {@link shutDown}, then resolves once every accepted item has been taken and is done. This requires consumers; a plain
   * {@link shutDown} ends the wait.
   *
   * Differs from upstream, which returns as soon as nothing is in progress, even if items are still waiting.
   */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  /** Adds an item to the waiting set. Returns true if it was not in it; searches the set only once. */
  #startsWaiting(item: T): boolean {
    const before = this.#waiting.size;
    return this.#waiting.add(item).size > before;
  }

  #push(item: T): void {
    this.#order.push(item);
    if (this.#waiters.length === 0) return;
    const next = this.tryGet();
    if (next !== undefined) this.#waiters.give(next);
  }

  #isIdle(): boolean {
    return this.#processing.size === 0 && this.#order.length === 0;
  }

  #releaseDrained(): void {
    const drained = this.#drained;
    this.#drained = [];
    for (const resolve of drained) resolve();
  }
}
