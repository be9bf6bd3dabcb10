import { type Clock, systemClock } from "@kubewright/clock";
import { DeadlineHeap, Heap, type HeapEntry } from "./heap.ts";
import { Causes, ItemIterator, type QueueOptions, Waiters } from "./queue.ts";
import { QueueMeter } from "./queue-metrics.ts";
import { exponentialFailure, type RateLimiter } from "./rate-limiters.ts";
import type { WorkQueue } from "./work-queue.ts";

/**
 * Options for a {@link PriorityQueue}.
 *
 * @see controller-runtime pkg/controller/priorityqueue Opts
 */
export interface PriorityQueueOptions<T, Cause = never> extends Omit<QueueOptions<T, Cause>, "order"> {
  /** Rate limiter that determines the delays of `addRateLimited`. Default: each item's delay doubles from 5 ms up to 1,000 s. */
  readonly rateLimiter?: RateLimiter<T> | undefined;
}

/**
 * Options for {@link PriorityQueue.addWithOptions}: priority, delay and cause.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface PriorityAddOptions<Cause = never> {
  /** Priority of the item; items with a higher priority come first. Default 0. */
  readonly priority?: number | undefined;
  /** Minimum delay in milliseconds. Default 0. */
  readonly afterMs?: number | undefined;
  /** True to apply the rate limiter's delay. If `afterMs` is also set, the shorter delay is used. Default false. */
  readonly rateLimited?: boolean | undefined;
  /** Cause that {@link PriorityQueue.causesOf} returns. Default: none. */
  readonly cause?: Cause | undefined;
}

/** An item taken from the queue, and the priority it had there. */
export interface Prioritized<T> {
  readonly item: T;
  readonly priority: number;
}

/** A waiting item. Times are monotonic milliseconds of the clock. */
export interface WaitingItem<T> extends Prioritized<T> {
  /** Time at which the item becomes ready. Absent if it is ready. */
  readonly dueMs?: number | undefined;
  /** Time at which the item became ready. Known only if the queue has metrics. */
  readonly readySinceMs?: number | undefined;
}

interface Entry<T> extends HeapEntry {
  readonly item: T;
  priority: number;
  /** Arrival number, which orders equal priorities. */
  order: number;
  isReady: boolean;
}

/**
 * A queue whose items have priorities.
 *
 * - The ready item with the highest priority is taken first. Among items of equal priority, the one that became ready,
 *   or received this priority, first is taken first.
 * - An item that is added again before it is taken keeps the higher of its priorities and the earlier of its times.
 * - No item is taken again before {@link done} is called for it. An item that is added in the meantime is ready (and
 *   counted) immediately, but can be taken only after `done`.
 * - After a shutdown, no item can be taken, not even one that was already waiting.
 *
 * Every operation is O(log n).
 *
 * @see controller-runtime pkg/controller/priorityqueue
 */
export class PriorityQueue<T, Cause = never> implements WorkQueue<T, Cause> {
  readonly #rateLimiter: RateLimiter<T>;
  readonly #meter: QueueMeter<T> | undefined;
  readonly #causes: Causes<T, Cause>;
  readonly #entries = new Map<T, Entry<T>>();
  readonly #ready = new Heap<Entry<T>>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  );
  readonly #delayed: DeadlineHeap<T>;
  /** Items in progress, each with its ready entry if it was added in the meantime. */
  readonly #processing = new Map<T, Entry<T> | undefined>();
  readonly #waiters = new Waiters<Prioritized<T>>();
  #readyAgain = 0;
  #order = 0;
  #isShuttingDown = false;

  constructor(options: PriorityQueueOptions<T, Cause> = {}) {
    const clock: Clock = options.clock ?? systemClock;
    this.#rateLimiter = options.rateLimiter ?? exponentialFailure({ baseMs: 5, maxMs: 1_000_000 });
    this.#meter = options.metrics && options.name ? new QueueMeter(options.metrics(options.name), clock) : undefined;
    this.#causes = new Causes(options);
    this.#delayed = new DeadlineHeap(clock, (item) => this.#onDue(item));
  }

  /** Number of ready items, including those that are still in progress. */
  get size(): number {
    return this.#ready.length + this.#readyAgain;
  }

  /** Number of delayed items. */
  get delayedSize(): number {
    return this.#delayed.size;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  add(item: T, cause?: Cause): void {
    this.#add(item, { cause });
  }

  addAfter(item: T, ms: number, cause?: Cause): void {
    this.#add(item, { afterMs: ms, cause });
  }

  addRateLimited(item: T, cause?: Cause): void {
    this.#add(item, { rateLimited: true, cause });
  }

  /**
   * Adds items with a priority, a delay, or both. Ignored after a shutdown.
   *
   * @see controller-runtime pkg/controller/priorityqueue AddWithOpts
   */
  addWithOptions(options: PriorityAddOptions<Cause>, ...items: readonly T[]): void {
    for (const item of items) this.#add(item, options);
  }

  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(item);
  }

  tryGet(): T | undefined {
    return this.#take()?.item;
  }

  async get(signal?: AbortSignal): Promise<T | undefined> {
    return (await this.getWithPriority(signal))?.item;
  }

  /** Returns the next item like {@link tryGet}, together with its priority. */
  tryGetWithPriority(): Prioritized<T> | undefined {
    return this.#take();
  }

  /** Resolves to the next item like {@link get}, together with its priority. */
  getWithPriority(signal?: AbortSignal): Promise<Prioritized<T> | undefined> {
    if (signal?.aborted || this.#isShuttingDown) return Promise.resolve(undefined);
    const next = this.#take();
    return next ? Promise.resolve(next) : this.#waiters.wait(signal);
  }

  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined> {
    return new ItemIterator(this, signal);
  }

  done(item: T): void {
    if (!this.#processing.has(item)) return;
    const again = this.#processing.get(item);
    this.#processing.delete(item);
    this.#causes.done(item);
    this.#meter?.done(item);
    if (!again) return;
    this.#readyAgain--;
    this.#offer(again);
  }

  /**
   * Yields the waiting items, ready or not, in the order in which they were added. They are computed lazily, so a partial iteration costs
   * less.
   */
  *waiting(): IterableIterator<WaitingItem<T>> {
    for (const { item, priority, isReady } of this.#entries.values())
      yield isReady
        ? { item, priority, readySinceMs: this.#meter?.readySinceMs(item) }
        : { item, priority, dueMs: this.#delayed.dueMs(item) };
  }

  /** Excludes the time from now until {@link done} from the work time, because the item is waiting for something. */
  hold(item: T): void {
    this.#meter?.held(item);
  }

  isProcessing(item: T): boolean {
    return this.#processing.has(item);
  }

  causesOf(item: T): readonly Cause[] {
    return this.#causes.of(item, this.isProcessing(item));
  }

  shutDown(): void {
    this.#isShuttingDown = true;
    this.#meter?.stop();
    this.#delayed.clear();
    this.#causes.dropWaiting();
    this.#waiters.dismiss();
  }

  /** Shuts down like {@link shutDown}. As in upstream, it does not wait. */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
  }

  #add(item: T, options: PriorityAddOptions<Cause>): void {
    if (this.#isShuttingDown) return;
    const { priority = 0, cause } = options;
    const afterMs = this.#delayOf(item, options);
    if (afterMs > 0) this.#meter?.retried();
    if (cause !== undefined) this.#causes.add(item, cause);
    const known = this.#entries.get(item);
    const entry = known ?? { item, priority, order: this.#order++, isReady: false, heapIndex: -1 };
    if (!known) this.#entries.set(item, entry);
    else if (priority > entry.priority) this.#raise(entry, priority);
    if (entry.isReady) return;
    if (afterMs > 0) {
      this.#delayed.add(item, afterMs);
      return;
    }
    if (known) this.#delayed.delete(item);
    this.#makeReady(entry);
  }

  #delayOf(item: T, { afterMs = 0, rateLimited = false }: PriorityAddOptions<Cause>): number {
    if (!rateLimited) return afterMs;
    const limitedMs = this.#rateLimiter.when(item);
    return afterMs > 0 ? Math.min(afterMs, limitedMs) : limitedMs;
  }

  #raise(entry: Entry<T>, priority: number): void {
    if (entry.isReady) this.#meter?.movedTo(priority, entry.priority);
    entry.priority = priority;
    entry.order = this.#order++;
    if (entry.heapIndex >= 0) this.#ready.update(entry);
  }

  #onDue(item: T): void {
    const entry = this.#entries.get(item);
    if (!entry) return;
    entry.order = this.#order++; // items of equal priority are ordered by the time at which they became ready
    this.#makeReady(entry);
  }

  #makeReady(entry: Entry<T>): void {
    entry.isReady = true;
    this.#meter?.added(entry.item, entry.priority);
    if (this.#processing.has(entry.item)) {
      this.#processing.set(entry.item, entry);
      this.#readyAgain++;
      return;
    }
    this.#offer(entry);
  }

  /** Passes an entry to the consumer that has waited longest, or queues it. While consumers wait, no other entry is ready. */
  #offer(entry: Entry<T>): void {
    if (this.#waiters.length > 0) this.#waiters.give(this.#taken(entry));
    else this.#ready.push(entry);
  }

  #take(): Prioritized<T> | undefined {
    if (this.#isShuttingDown) return undefined;
    const entry = this.#ready.pop();
    return entry && this.#taken(entry);
  }

  #taken({ item, priority }: Entry<T>): Prioritized<T> {
    this.#entries.delete(item);
    this.#processing.set(item, undefined);
    this.#causes.take(item);
    this.#meter?.taken(item, priority);
    return { item, priority };
  }
}
