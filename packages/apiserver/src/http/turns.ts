import type { Clock } from "@kubewright/clock";

/** Maximum total time for requests that arrive in one turn of the event loop. */
const turnMs = 10;

/**
 * Shares the single thread among requests. If a client sends a thousand costly requests that arrive in one turn of the event loop,
 * requests that exceed the turn's time run one at a time. In between, sockets are read and other clients are served.
 */
export class Turns {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #waiting: (() => void)[] = [];
  /** Time at which this turn's first request arrived. */
  #startedMs: number | undefined;
  #isScheduled = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Returns `undefined` if this turn has time left; otherwise, returns a promise to wait for. */
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
