import { type Clock, onNextTurn } from "@kubewright/clock";

/** Maximum total time that requests may use in one turn of the event loop. */
const turnMs = 10;

/**
 * Divides the single thread's time among requests. If a thousand expensive requests arrive in one turn of the event
 * loop, only as many are handled as fit into the turn's time. The others are handled one per turn, so that sockets are
 * read and other clients are served in between.
 */
export class Turns {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #waiting: (() => void)[] = [];
  /** Time at which the first request of this turn started. */
  #startedMs: number | undefined;
  #isScheduled = false;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Returns `undefined` if this turn has time left; otherwise, returns a promise for which the request must wait. */
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
    onNextTurn(() => this.#next());
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
