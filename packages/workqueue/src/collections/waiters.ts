import { Line } from "./line.ts";

interface Waiter<T> {
  settle: ((item: T | undefined) => void) | undefined;
}

/** Number of empty places that are tolerated before the others are moved up. */
const fewPlaces = 64;

/** Waiting consumers, in the order of arrival. A consumer that gives up leaves an empty place; the number of these is limited. */
export class Waiters<T> {
  #line = new Line<Waiter<T>>();
  #waiting = 0;

  /** Number of consumers that are waiting. */
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
          signal?.removeEventListener("abort", giveUp);
          resolve(item);
        },
      };
      const giveUp = (): void => {
        waiter.settle?.(undefined);
        if (this.places > 2 * this.#waiting + fewPlaces) this.#moveUp();
      };
      this.#waiting++;
      this.#line.push(waiter);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Passes an item to the consumer that has waited longest. Must be called only while `length` is above 0. */
  give(item: T): void {
    let waiter = this.#line.shift();
    while (waiter && !waiter.settle) waiter = this.#line.shift();
    waiter?.settle?.(item);
  }

  /** Number of places, including empty ones. */
  get places(): number {
    return this.#line.length;
  }

  #moveUp(): void {
    const places = this.#line;
    this.#line = new Line();
    for (let waiter = places.shift(); waiter; waiter = places.shift()) if (waiter.settle) this.#line.push(waiter);
  }

  /** Resolves all waits without an item. */
  dismiss(): void {
    for (let waiter = this.#line.shift(); waiter; waiter = this.#line.shift()) waiter.settle?.(undefined);
  }
}
