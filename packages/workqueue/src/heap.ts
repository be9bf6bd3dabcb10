import type { Clock, Timer } from "@kubewright/clock";

/**
 * An entry of a {@link Heap}. It stores its own position, so that it can be moved or removed without being searched
 * for.
 */
export interface HeapEntry {
  /** Position in the heap, maintained by the heap. -1 while the entry is not in a heap. */
  heapIndex: number;
}

/** A heap whose first entry is the smallest. Push, pop, update and remove are O(log n). */
export class Heap<E extends HeapEntry> {
  readonly #entries: E[] = [];
  readonly #isBefore: (a: E, b: E) => boolean;

  constructor(isBefore: (a: E, b: E) => boolean) {
    this.#isBefore = isBefore;
  }

  get length(): number {
    return this.#entries.length;
  }

  peek(): E | undefined {
    return this.#entries[0];
  }

  push(entry: E): void {
    this.#entries.push(entry);
    this.#up(entry, this.#entries.length - 1);
  }

  pop(): E | undefined {
    const first = this.#entries[0];
    if (first) this.remove(first);
    return first;
  }

  /** Moves an entry to its new position after its order has changed. */
  update(entry: E): void {
    this.#up(entry, entry.heapIndex);
    this.#down(entry, entry.heapIndex);
  }

  remove(entry: E): void {
    const index = entry.heapIndex;
    const last = this.#entries.pop();
    entry.heapIndex = -1;
    if (last === undefined || last === entry) return;
    last.heapIndex = index;
    this.#entries[index] = last;
    this.update(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.heapIndex = -1;
    this.#entries.length = 0;
  }

  /** Iterates over all entries, in no particular order. */
  values(): IterableIterator<E> {
    return this.#entries.values();
  }

  #up(entry: E, from: number): void {
    const entries = this.#entries;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = entries[parentIndex];
      if (parent === undefined || !this.#isBefore(entry, parent)) break;
      entries[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    entries[index] = entry;
    entry.heapIndex = index;
  }

  #down(entry: E, from: number): void {
    const entries = this.#entries;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = entries[childIndex];
      if (child === undefined) break;
      const right = entries[childIndex + 1];
      if (right !== undefined && this.#isBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (!this.#isBefore(child, entry)) break;
      entries[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    entries[index] = entry;
    entry.heapIndex = index;
  }
}

/** Maximum sleep of a timer. It limits the delay after a clock jump, or after the machine slept. */
const heartbeatMs = 10_000;

/** Remaining time that is considered a rounding error and not worth another timer. */
const roundingMs = 0.001;

interface Deadline<T> extends HeapEntry {
  readonly item: T;
  atMs: number;
  /** Arrival number, which orders equal deadlines. */
  readonly order: number;
}

/** Items and the times at which they are due. Each item occurs once, with its earliest time. */
export class DeadlineHeap<T> {
  readonly #clock: Clock;
  readonly #onDue: (item: T) => void;
  readonly #heap = new Heap<Deadline<T>>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order));
  readonly #byItem = new Map<T, Deadline<T>>();
  #order = 0;
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (item: T) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.length;
  }

  has(item: T): boolean {
    return this.#byItem.has(item);
  }

  /** Returns the time at which an item is due, in monotonic milliseconds of the clock. */
  dueMs(item: T): number | undefined {
    return this.#byItem.get(item)?.atMs;
  }

  /** Adds an item that is due in `ms` milliseconds. If the item is already due sooner, the earlier time is retained. */
  add(item: T, ms: number): void {
    const atMs = this.#clock.monotonic() + ms;
    const known = this.#byItem.get(item);
    if (!known) {
      const entry: Deadline<T> = { item, atMs, order: this.#order++, heapIndex: -1 };
      this.#byItem.set(item, entry);
      this.#heap.push(entry);
    } else if (atMs < known.atMs) {
      known.atMs = atMs;
      this.#heap.update(known);
    }
    this.#arm();
  }

  /** Removes an item. */
  delete(item: T): void {
    const entry = this.#byItem.get(item);
    if (!entry) return;
    this.#byItem.delete(item);
    this.#heap.remove(entry);
  }

  clear(): void {
    this.#heap.clear();
    this.#byItem.clear();
    this.#arm();
  }

  #arm(): void {
    const first = this.#heap.peek();
    if (first && first.atMs >= this.#timerAtMs) return; // the timer wakes early enough
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    if (!first) return;
    const now = this.#clock.monotonic();
    const waitMs = Math.min(Math.max(first.atMs - now, 0), heartbeatMs);
    this.#timerAtMs = now + waitMs;
    this.#timer = this.#clock.after(waitMs, () => this.#wake());
  }

  #wake(): void {
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (let first = this.#heap.peek(); first && first.atMs - now < roundingMs; first = this.#heap.peek()) {
      this.delete(first.item);
      this.#onDue(first.item);
    }
    this.#arm();
  }
}
