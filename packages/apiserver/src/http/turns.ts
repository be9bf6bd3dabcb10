import type { Clock } from "@kubewright/clock";

/** So long requests that come with one turn of the event loop may take of it. */
const turnMs = 10;

/**
 * Shares the one thread among requests: of a thousand costly ones that a client sends at once, and that come in a single turn of the event
 * loop, those beyond its time go on one by one, and between any two of them sockets are read and whoever else asks is answered.
 */
export class Turns {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #waiting: (() => void)[] = [];
  /** When the first request of this turn came. */
  #startedMs: number | undefined;
  #isScheduled = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** `undefined` where this turn has time left, otherwise what to wait for. */
  take(): Promise<void> | undefined {
    const nowMs = this.#clock.monotonic();
    this.#startedMs ??= nowMs;
    this.#schedule();
    if (nowMs - this.#startedMs < turnMs) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    this.#startedMs = undefined;
    const wake = this.#waiting.shift();
    if (!wake) return;
    wake();
    this.#schedule();
  }
}
