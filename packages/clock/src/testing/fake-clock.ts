import { type Clock, sleepOn, type Timer } from "../clock.ts";

interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock for tests. Its time changes only when you call `advance`, which fires all timers that become due, in order.
 * After each timer, it waits until the resulting promises have settled.
 *
 * @see k8s.io/utils/clock/testing FakeClock
 */
export class FakeClock implements Clock {
  #now: number;
  #elapsed = 0;
  #order = 0;
  #timers = new Set<Waiting>();

  /** @param start milliseconds since 1970. Default: 2026-01-01T00:00:00Z. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, callback: () => void): Timer {
    const timer: Waiting = { at: this.#elapsed + Math.max(ms, 0), order: this.#order++, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Number of pending timers. A test can use it to check that code is waiting before it advances the time. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Advances the time by `ms` milliseconds. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (let next = this.#firstDue(end); next; next = this.#firstDue(end)) {
      this.#timers.delete(next);
      this.#moveTo(Math.max(next.at, this.#elapsed));
      next.callback();
      await settle();
    }
    this.#moveTo(end);
    await settle();
  }

  /** Sets the wall-clock time in milliseconds since 1970 without firing timers, as an administrator or a time server may do. */
  setWall(ms: number): void {
    this.#now = ms;
  }

  #moveTo(elapsed: number): void {
    this.#now += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }

  #firstDue(end: number): Waiting | undefined {
    let first: Waiting | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }
}

/** Runs all pending promise callbacks and the callbacks of the next event loop turns. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
