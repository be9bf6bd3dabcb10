import { type Clock, systemClock } from "@kubewright/clock";
import { QueueMeter, type QueueMetricsProvider } from "./queue-metrics.ts";
import type { WorkQueue } from "./work-queue.ts";

/** Order in which waiting items are taken. Default: first in, first out. */
export interface QueueOrder<T> {
  /** Number of waiting items. */
  readonly length: number;
  push(item: T): void;
  /** Removes and returns the next item, or returns `undefined` if none is waiting. */
  shift(): T | undefined;
  /** Called when an item that is already waiting is added again. */
  touch?(item: T): void;
}

/**
 * Options for a {@link Queue}: its name, metrics, order and causes.
 *
 * @see client-go util/workqueue TypedQueueConfig
 */
export interface QueueOptions<T, Cause = never> {
  /** Maximum number of causes per item. If there are more, the oldest are dropped. Default 10. */
  readonly maxCauses?: number | undefined;
  /** Returns a key by which causes are merged. The latest cause with a key is retained. Default: the causes themselves are compared. */
  readonly causeKey?: ((cause: Cause) => unknown) | undefined;
  /** Name of the queue in metrics. A queue without a name has no metrics. */
  readonly name?: string | undefined;
  /** Creates the queue's metrics. Used only with a `name`. Default: none. */
  readonly metrics?: QueueMetricsProvider | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Order in which items are taken. Default: first in, first out. */
  readonly order?: QueueOrder<T> | undefined;
}

/**
 * A queue of items that need work. Each item is processed by at most one consumer at a time.
 *
 * - Fair: items are taken in the order in which they were added, and consumers are served in the order in which they
 *   requested items.
 * - Deduplicating: an item that is added several times before it is taken is taken once.
 * - No item is taken again before {@link done} is called for it. An item that is added in the meantime is queued once
 *   after `done`, at the end of the queue.
 * - After a shutdown, added items are ignored. Items that are already waiting can still be taken; then the consumers
 *   end.
 *
 * Items are compared as in a `Set`, so they are usually strings. Adding, taking and finishing an item take O(1). All
 * state changes are synchronous, and adding an item creates no promise.
 *
 * @see client-go util/workqueue/queue.go Typed
 */
export class Queue<T, Cause = never> {
  protected readonly clock: Clock;
  protected readonly causes: Causes<T, Cause>;
  protected readonly meter: QueueMeter<T> | undefined;
  readonly #order: QueueOrder<T>;
  // An item is in one set, or in both of the last two. The first set may be large; an item causes only one add and one delete in it.
  readonly #waiting = new Set<T>();
  readonly #processing = new ItemSet<T>();
  readonly #addedAgain = new ItemSet<T>();
  readonly #waiters = new Waiters<T>();
  #isShuttingDown = false;
  #drained: (() => void)[] = [];

  constructor(options: QueueOptions<T, Cause> = {}) {
    this.clock = options.clock ?? systemClock;
    this.causes = new Causes(options);
    this.meter =
      options.metrics && options.name ? new QueueMeter(options.metrics(options.name), this.clock) : undefined;
    this.#order = options.order ?? new Fifo();
  }

  /** Number of distinct waiting items. */
  get size(): number {
    return this.#order.length;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /**
   * Adds an item that needs work. Ignored after a shutdown.
   *
   * @param cause reason for adding the item. It is retained with the causes of other adds until the item is done; see {@link causesOf}.
   */
  add(item: T, cause?: Cause): void {
    if (this.#isShuttingDown) return;
    if (cause !== undefined) this.causes.add(item, cause);
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

  /** Returns the next item, or `undefined` if none is waiting. The caller must call {@link done} for the item. */
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
   * Resolves to the next item once one is available. The caller must call {@link done} for the item.
   *
   * @returns `undefined` when the queue is shut down and empty, or when the signal aborts
   */
  get(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.tryGet();
    if (item !== undefined || this.#isShuttingDown) return Promise.resolve(item);
    return this.#waiters.wait(signal);
  }

  /** Yields items until the queue is shut down and empty or the signal aborts. The caller must call {@link done} for each item. */
  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined> {
    return new ItemIterator(this, signal);
  }

  /** Marks an item as done. If it was added in the meantime, it waits again. Has no effect on an item that is not in progress. */
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

  /** Excludes the time from now until {@link done} from the work time, because the item is waiting for something. */
  hold(item: T): void {
    this.meter?.held(item);
  }

  isProcessing(item: T): boolean {
    return this.#processing.has(item);
  }

  /** Returns the causes of an item that is in progress or waiting: oldest first, limited in number, without duplicates. */
  causesOf(item: T): readonly Cause[] {
    return this.causes.of(item, this.isProcessing(item));
  }

  /** Ignores adds from now on. Waiting items can still be taken. Also ends a wait in {@link shutDownWithDrain}. */
  shutDown(): void {
    this.#isShuttingDown = true;
    this.meter?.stop();
    this.#waiters.dismiss();
    this.#releaseDrained();
  }

  /**
   * Shuts down like {@link shutDown}, then resolves once every accepted item has been taken and is done. This requires consumers. Calling
   * {@link shutDown} ends the wait.
   *
   * Unlike upstream, which returns as soon as nothing is in progress, it also waits for items that have not been taken.
   */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  /** Adds an item to the waiting set. Returns true if the item was not in it. Searches the set only once. */
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

const none: readonly never[] = [];

/**
 * The causes of items that are waiting or in progress. Causes accumulate while an item waits, and are kept until the
 * item is done. Causes added while an item is in progress count for the next time it is processed.
 */
export class Causes<T, Cause> {
  readonly #max: number;
  readonly #keyOf: (cause: Cause) => unknown;
  // Most items have one cause, so lists are searched linearly. The lists are short, and a list costs less than a map.
  readonly #waiting = new Map<T, Cause[]>();
  readonly #processing = new Map<T, readonly Cause[]>();

  constructor(options: Pick<QueueOptions<T, Cause>, "maxCauses" | "causeKey">) {
    this.#max = options.maxCauses ?? 10;
    this.#keyOf = options.causeKey ?? ((cause) => cause);
  }

  add(item: T, cause: Cause): void {
    const causes = this.#waiting.get(item);
    if (!causes) {
      if (this.#max > 0) this.#waiting.set(item, [cause]);
      return;
    }
    const key = this.#keyOf(cause);
    const same = causes.findIndex((known) => this.#keyOf(known) === key);
    if (same >= 0)
      causes.splice(same, 1); // moves the latest to the end
    else if (causes.length >= this.#max) causes.shift();
    causes.push(cause);
  }

  /** Must be called when the item is taken. Its causes so far are retained. */
  take(item: T): void {
    if (this.#waiting.size === 0) return;
    const causes = this.#waiting.get(item);
    if (!causes) return;
    this.#waiting.delete(item);
    this.#processing.set(item, causes);
  }

  done(item: T): void {
    if (this.#processing.size > 0) this.#processing.delete(item);
  }

  of(item: T, isProcessing: boolean): readonly Cause[] {
    if (isProcessing) return this.#processing.get(item) ?? none;
    return this.#waiting.get(item)?.slice() ?? none;
  }

  /** Drops the causes of all waiting items. */
  dropWaiting(): void {
    this.#waiting.clear();
  }
}

/** Number of items above which a `Set` is faster than a linear search. */
const maxInArray = 16;

/** Like `Set`, but optimized for few items that change often: a small set is stored in an array, without hashing. */
export class ItemSet<T> {
  readonly #few: T[] = [];
  readonly #many = new Set<T>();

  get size(): number {
    return this.#few.length + this.#many.size;
  }

  has(item: T): boolean {
    return this.#few.includes(item) || (this.#many.size > 0 && this.#many.has(item));
  }

  /** Adds an item, which must not be in the set. */
  add(item: T): void {
    if (this.#few.length < maxInArray) this.#few.push(item);
    else this.#many.add(item);
  }

  /** Removes an item. Returns true if it was in the set. */
  delete(item: T): boolean {
    const few = this.#few;
    const last = few.length - 1;
    for (let at = last; at >= 0; at--) {
      if (few[at] !== item && !Object.is(few[at], item)) continue;
      const moved = few.pop();
      if (at < last && moved !== undefined) few[at] = moved;
      return true;
    }
    return this.#many.size > 0 && this.#many.delete(item);
  }
}

/** Number of used slots after which their memory is released. */
const spentSlots = 1_024;

/** A first-in, first-out list that moves its items only after half of its slots are used up, instead of on every removal. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns the oldest item, or `undefined` if there is none. Its slot retains no reference to it. */
  shift(): T | undefined {
    const items = this.#items;
    const head = this.#head;
    if (head === items.length) return undefined;
    const item = items[head];
    items[head] = undefined;
    this.#head = head + 1;
    if (head >= spentSlots && head * 2 >= items.length) this.#moveUp();
    return item;
  }

  #moveUp(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}

interface Waiter<T> {
  settle: ((item: T | undefined) => void) | undefined;
}

/** Number of empty places that are tolerated before the other places are moved up. */
const maxEmptyPlaces = 64;

/**
 * Waiting consumers, in the order in which they arrived. A consumer that stops waiting leaves an empty slot; the number
 * of empty slots is limited.
 */
export class Waiters<T> {
  #places = new Fifo<Waiter<T>>();
  #waiting = 0;

  /** Number of waiting consumers. */
  get length(): number {
    return this.#waiting;
  }

  /** Resolves to the item passed to {@link give}, or to `undefined` when all consumers are dismissed or the signal aborts. */
  wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter<T> = {
        settle: (item) => {
          waiter.settle = undefined;
          this.#waiting--;
          signal?.removeEventListener("abort", onAbort);
          resolve(item);
        },
      };
      const onAbort = (): void => {
        waiter.settle?.(undefined);
        if (this.places > 2 * this.#waiting + maxEmptyPlaces) this.#moveUp();
      };
      this.#waiting++;
      this.#places.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Passes an item to the consumer that has waited longest. Must be called only if `length` is above 0. */
  give(item: T): void {
    let waiter = this.#places.shift();
    while (waiter && !waiter.settle) waiter = this.#places.shift();
    waiter?.settle?.(item);
  }

  /** Number of places, including empty ones. */
  get places(): number {
    return this.#places.length;
  }

  #moveUp(): void {
    const before = this.#places;
    this.#places = new Fifo();
    for (let waiter = before.shift(); waiter; waiter = before.shift()) if (waiter.settle) this.#places.push(waiter);
  }

  /** Resolves all pending {@link wait} calls without an item. */
  dismiss(): void {
    for (let waiter = this.#places.shift(); waiter; waiter = this.#places.shift()) waiter.settle?.(undefined);
  }
}

/** Iterator with which a consumer loops over a queue; see `items` in {@link WorkQueue}. */
export class ItemIterator<T> implements AsyncIterableIterator<T, undefined> {
  readonly #queue: Pick<WorkQueue<T>, "get" | "tryGet">;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #end = (): void => {
    this.#signal?.removeEventListener("abort", this.#end);
    this.#ended.abort();
  };

  constructor(queue: Pick<WorkQueue<T>, "get" | "tryGet">, signal: AbortSignal | undefined) {
    this.#queue = queue;
    this.#signal = signal;
    if (signal?.aborted) this.#end();
    else signal?.addEventListener("abort", this.#end, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#ended.signal.aborted) return { value: undefined, done: true };
    let item = this.#queue.tryGet();
    if (item === undefined) item = await this.#queue.get(this.#ended.signal);
    if (item !== undefined) return { value: item, done: false };
    this.#end();
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return { value: undefined, done: true };
  }
}
