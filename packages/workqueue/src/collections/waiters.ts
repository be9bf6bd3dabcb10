import { Line } from "./line.ts";

interface Waiter<T> {
  settle: ((item: T | undefined) => void) | undefined;
}

/** Empty places that are not worth moving the others up. */
const fewPlaces = 64;

/** Consumers that found nothing, in the order they came. Whoever gives up leaves an empty place, of which there are never many. */
export class Waiters<T> {
  #line = new Line<Waiter<T>>();
  #waiting = 0;

  /** How many still wait. */
  get length(): number {
    return this.#waiting;
  }

  /** Resolves with what {@link give} hands over, or with `undefined` when everybody is dismissed or the signal aborts. */
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

  /** Hands an item to whoever has waited longest. Only while `length` is above 0. */
  give(item: T): void {
    let waiter = this.#line.shift();
    while (waiter && !waiter.settle) waiter = this.#line.shift();
    waiter?.settle?.(item);
  }

  /** How many places there are, empty ones too. */
  get places(): number {
    return this.#line.length;
  }

  #moveUp(): void {
    const places = this.#line;
    this.#line = new Line();
    for (let waiter = places.shift(); waiter; waiter = places.shift()) if (waiter.settle) this.#line.push(waiter);
  }

  /** Tells everybody that nothing will come. */
  dismiss(): void {
    for (let waiter = this.#line.shift(); waiter; waiter = this.#line.shift()) waiter.settle?.(undefined);
  }
}
