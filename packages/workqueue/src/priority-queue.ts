import { type Clock, systemClock } from "@kubewright/clock";
import { CauseBook } from "./collections/cause-book.ts";
import { DeadlineHeap } from "./collections/deadline-heap.ts";
import { Heap, type HeapEntry } from "./collections/heap.ts";
import { Waiters } from "./collections/waiters.ts";
import { ItemIterator } from "./item-iterator.ts";
import type { QueueOptions } from "./queue.ts";
import { QueueMeter } from "./queue-meter.ts";
import { exponentialFailure } from "./rate-limiter/exponential-failure.ts";
import type { RateLimiter } from "./rate-limiter/rate-limiter.ts";
import type { WorkQueue } from "./work-queue.ts";

/**
 * How a {@link PriorityQueue} delays retries, and what it reports and remembers.
 *
 * @see controller-runtime pkg/controller/priorityqueue Opts
 */
export interface PriorityQueueOptions<T, Cause = never> extends Omit<QueueOptions<T, Cause>, "order"> {
  /** Default: per item 5 ms doubling to 1000 s. */
  readonly rateLimiter?: RateLimiter<T> | undefined;
}

/** When and how urgently {@link PriorityQueue.addWithOptions} adds items. @see controller-runtime pkg/controller/priorityqueue AddOpts */
export interface PriorityAddOptions<Cause = never> {
  /** Higher comes first. Default 0. */
  readonly priority?: number | undefined;
  /** Not before so many milliseconds have passed. Default 0. */
  readonly afterMs?: number | undefined;
  /** Not before the rate limiter says so; of this and `afterMs` the shorter holds. Default false. */
  readonly rateLimited?: boolean | undefined;
  /** Why, for {@link PriorityQueue.causesOf}. Default: nothing is noted. */
  readonly cause?: Cause | undefined;
}

/** An item and the priority with which it was handed out. */
export interface Prioritized<T> {
  readonly item: T;
  readonly priority: number;
}

/** An item that waits. Times are the clock's monotonic milliseconds. */
export interface WaitingItem<T> extends Prioritized<T> {
  /** When its time comes. Absent: it is ready. */
  readonly dueMs?: number | undefined;
  /** Since when it has been ready; known where the queue has metrics. */
  readonly readySinceMs?: number | undefined;
}

interface Entry<T> extends HeapEntry {
  readonly item: T;
  priority: number;
  /** Among equal priorities, who came first. */
  order: number;
  isReady: boolean;
}

/**
 * A queue whose items have priorities.
 *
 * - Of the ready items the one with the highest priority comes out first; among equals, the one that got ready, or got this
 *   priority, first.
 * - Added again before it is handed out, an item keeps the higher priority and the earlier time.
 * - No item is handed out twice before {@link done}; added meanwhile, it is ready (and counted) at once and comes out after it.
 * - After a shutdown nothing is handed out any more, not even what waits.
 *
 * Every operation is O(log n).
 *
 * @see controller-runtime pkg/controller/priorityqueue
 */
export class PriorityQueue<T, Cause = never> implements WorkQueue<T, Cause> {
  readonly #rateLimiter: RateLimiter<T>;
  readonly #meter: QueueMeter<T> | undefined;
  readonly #causes: CauseBook<T, Cause>;
  readonly #entries = new Map<T, Entry<T>>();
  readonly #ready = new Heap<Entry<T>>(
    (a, b) => a.priority > b.priority || (a.priority === b.priority && a.order < b.order),
  );
  readonly #delayed: DeadlineHeap<T>;
  /** What is being worked on, and its ready entry if it was added meanwhile. */
  readonly #processing = new Map<T, Entry<T> | undefined>();
  readonly #waiters = new Waiters<Prioritized<T>>();
  #readyAgain = 0;
  #order = 0;
  #isShuttingDown = false;

  constructor(options: PriorityQueueOptions<T, Cause> = {}) {
    const clock: Clock = options.clock ?? systemClock;
    this.#rateLimiter = options.rateLimiter ?? exponentialFailure({ baseMs: 5, maxMs: 1_000_000 });
    this.#meter = options.metrics && options.name ? new QueueMeter(options.metrics(options.name), clock) : undefined;
    this.#causes = new CauseBook(options);
    this.#delayed = new DeadlineHeap(clock, (item) => this.#onDue(item));
  }

  /** How many items are ready, those included that are still being worked on. */
  get size(): number {
    return this.#ready.length + this.#readyAgain;
  }

  /** How many items wait for their time. */
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
   * Adds items with a priority, a delay, or both; ignored after a shutdown.
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

  /** {@link tryGet}, together with the priority that the item had. */
  tryGetWithPriority(): Prioritized<T> | undefined {
    return this.#take();
  }

  /** {@link get}, together with the priority that the item had. */
  getWithPriority(signal?: AbortSignal): Promise<Prioritized<T> | undefined> {
    if (signal?.aborted || this.#isShuttingDown) return Promise.resolve(undefined);
    const taken = this.#take();
    return taken ? Promise.resolve(taken) : this.#waiters.wait(signal);
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
    this.#ready.push(again);
    this.#serve();
  }

  /** What waits, ready or not, in the order in which it was added. Made as it is read: whoever stops early has paid for no more. */
  *waiting(): IterableIterator<WaitingItem<T>> {
    for (const { item, priority, isReady } of this.#entries.values())
      yield isReady
        ? { item, priority, readySinceMs: this.#meter?.readySinceMs(item) }
        : { item, priority, dueMs: this.#delayed.dueMs(item) };
  }

  /** Counts the time from here to {@link done} as no work: the item was taken, and waits for something. */
  hold(item: T): void {
    this.#meter?.held(item);
  }

  isProcessing(item: T): boolean {
    return this.#processing.has(item);
  }

  causesOf(item: T): readonly Cause[] {
    return this.#causes.causesOf(item, this.isProcessing(item));
  }

  shutDown(): void {
    this.#isShuttingDown = true;
    this.#meter?.stop();
    this.#delayed.clear();
    this.#causes.dropComing();
    this.#waiters.dismiss();
  }

  /** The same as {@link shutDown}, as upstream has it: it does not wait. */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
  }

  #add(item: T, options: PriorityAddOptions<Cause>): void {
    if (this.#isShuttingDown) return;
    const { priority = 0, cause } = options;
    const afterMs = this.#delayOf(item, options);
    if (afterMs > 0) this.#meter?.retried();
    if (cause !== undefined) this.#causes.note(item, cause);
    const known = this.#entries.get(item);
    const entry = known ?? { item, priority, order: this.#order++, isReady: false, heapIndex: -1 };
    if (!known) this.#entries.set(item, entry);
    else if (priority > entry.priority) this.#raise(entry, priority);
    if (entry.isReady) return;
    if (afterMs > 0) {
      this.#delayed.add(item, afterMs);
      return;
    }
    this.#delayed.delete(item);
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
    entry.order = this.#order++; // ready items are in the order in which they got ready
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
    this.#ready.push(entry);
    this.#serve();
  }

  #take(): Prioritized<T> | undefined {
    if (this.#isShuttingDown) return undefined;
    const entry = this.#ready.pop();
    if (!entry) return undefined;
    const { item, priority } = entry;
    this.#entries.delete(item);
    this.#processing.set(item, undefined);
    this.#causes.take(item);
    this.#meter?.taken(item, priority);
    return { item, priority };
  }

  #serve(): void {
    if (this.#waiters.length === 0) return;
    const taken = this.#take();
    if (taken) this.#waiters.give(taken);
  }
}
