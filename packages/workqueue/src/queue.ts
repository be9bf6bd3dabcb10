import { type Clock, systemClock } from "@kubewright/clock";
import { CauseBook, type CauseOptions } from "./collections/cause-book.ts";
import { ItemSet } from "./collections/item-set.ts";
import { Line } from "./collections/line.ts";
import { Waiters } from "./collections/waiters.ts";
import { ItemIterator } from "./item-iterator.ts";
import { QueueMeter } from "./queue-meter.ts";
import type { QueueMetricsProvider } from "./queue-metrics.ts";

/** In which order waiting items are handed out. The default is first in, first out. */
export interface QueueOrder<T> {
  /** How many items wait. */
  readonly length: number;
  push(item: T): void;
  /** Takes the next item out; `undefined` if none waits. */
  shift(): T | undefined;
  /** Told when an item that waits already is added again. */
  touch?(item: T): void;
}

/**
 * What a {@link Queue} is named, in which order it hands out, and what it remembers of causes.
 *
 * @see client-go util/workqueue TypedQueueConfig
 */
export interface QueueOptions<T, Cause = never> extends CauseOptions<Cause> {
  /** The queue's name in metrics. A queue without a name has none. */
  readonly name?: string | undefined;
  /** Where to report to; used only with a `name`. Default: nowhere. */
  readonly metrics?: QueueMetricsProvider | undefined;
  /** Default: the machine's time. */
  readonly clock?: Clock | undefined;
  /** Default: first in, first out. */
  readonly order?: QueueOrder<T> | undefined;
}

/**
 * Items that need work, each at most once at a time.
 *
 * - Fair: items come out in the order in which they were added, to consumers in the order in which they asked.
 * - Stingy: an item added many times before it is handed out is handed out once.
 * - No item is handed out twice before {@link done}; added meanwhile, it comes back once after it, at the end of the line.
 * - After a shutdown adds are ignored; what waits is still handed out, then consumers are told to stop.
 *
 * Items are compared as a `Set` compares them, so strings are what they usually are. Adding, taking and finishing are O(1).
 * Every change of state is finished before control returns; no promise is made for an add.
 *
 * @see client-go util/workqueue/queue.go Typed
 */
export class Queue<T, Cause = never> {
  protected readonly clock: Clock;
  protected readonly causes: CauseBook<T, Cause>;
  protected readonly meter: QueueMeter<T> | undefined;
  readonly #order: QueueOrder<T>;
  // An item is in one set, or in both of the last two. The first may be large; all that is done to it is one add and one delete.
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

  /** How many distinct items wait to be handed out. */
  get size(): number {
    return this.#order.length;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /**
   * Marks an item as needing work; ignored after a shutdown.
   *
   * @param cause why: kept with those of other adds until the item has been worked on, see {@link causesOf}
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

  /** The next item, or `undefined` if none waits. {@link done} must follow. */
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
   * The next item, once there is one. {@link done} must follow.
   *
   * @returns `undefined` when the queue is shut down and empty, or when the signal aborts
   */
  get(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.tryGet();
    if (item !== undefined || this.#isShuttingDown) return Promise.resolve(item);
    return this.#waiters.wait(signal);
  }

  /** Every next item, until the queue is shut down and empty or the signal aborts. {@link done} must follow for each. */
  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined> {
    return new ItemIterator(this, signal);
  }

  /** Ends the work on an item. If it was added meanwhile, it waits again. Does nothing for an item not being worked on. */
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

  /** Counts the time from here to {@link done} as no work: the item was taken, and waits for something. */
  hold(item: T): void {
    this.meter?.held(item);
  }

  isProcessing(item: T): boolean {
    return this.#processing.has(item);
  }

  /** Why the item is being worked on, or, if it is not, why it waits. Oldest first, bounded, without repetition. */
  causesOf(item: T): readonly Cause[] {
    return this.causes.causesOf(item, this.isProcessing(item));
  }

  /** Ignores adds from now on and returns at once; what waits is still handed out. Ends a drain that somebody waits for. */
  shutDown(): void {
    this.#isShuttingDown = true;
    this.meter?.stop();
    this.#waiters.dismiss();
    this.#releaseDrained();
  }

  /**
   * {@link shutDown}, then resolves once everything that was accepted has been handed out and is done. It takes consumers to
   * get there; a plain {@link shutDown} releases whoever waits here.
   *
   * Differs from upstream, which returns as soon as nothing is in processing, even if items still wait.
   */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  /** Whether it did not wait before: the set is searched once. */
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
