import type { Clock, Timer } from "@kubewright/clock";
import { Heap, type HeapEntry } from "./heap.ts";

/** Maximum sleep of a timer: limits the delay after a clock jump, or after the machine slept. */
const heartbeatMs = 10_000;

/** Smaller remainders result from rounding and are not worth another timer. */
const roundingMs = 0.001;

interface Deadline<T> extends HeapEntry {
  readonly item: T;
  atMs: number;
  /** Orders equal deadlines by arrival. */
  readonly order: number;
}

/** Items and the times at which they are due; each item once, with its earliest time. */
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

  /** Returns the time at which an item is due, in the clock's monotonic milliseconds. */
  dueMs(item: T): number | undefined {
    return this.#byItem.get(item)?.atMs;
  }

  /** Makes an item due in `ms` milliseconds, unless it is due sooner already. */
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
