import { type Clock, sleepOn, type Timer } from "../clock.ts";

interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Time that stands still until a test turns it. `advance` fires every timer that comes due on the way, in order, and lets the
 * promises that each one settles run before the next.
 *
 * @see k8s.io/utils/clock/testing FakeClock
 */
export class FakeClock implements Clock {
  #now: number;
  #elapsed = 0;
  #order = 0;
  #timers = new Set<Waiting>();

  /** @param start milliseconds since 1970; default 2026-01-01T00:00:00Z */
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

  /** How many timers are set: a test can see that somebody waits before it turns time. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Turns time forward by `ms`. */
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

  /** Sets the wall's time without firing anything, as an administrator or a time server would. */
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

/** Lets everything run that is ready to: promise callbacks, and callbacks of the event loop's next turns. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
