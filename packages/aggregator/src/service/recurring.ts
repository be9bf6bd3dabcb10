import type { Clock } from "@kubewright/clock";

/** Does a piece of work again and again: after the time that it asks for, or sooner when something that it looks at has changed. */
export class Recurring {
  readonly #work: (signal: AbortSignal) => Promise<number>;
  readonly #clock: Clock;
  #isDue = true;
  #waiting: AbortController | undefined;

  /** @param work answers after how many milliseconds it wants to be done again; what it throws ends {@link run} */
  constructor(work: (signal: AbortSignal) => Promise<number>, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** Something has changed: the work is due, once more if it is being done. */
  kick(): void {
    this.#isDue = true;
    this.#waiting?.abort();
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isDue = false;
      const waitMs = await this.#work(signal);
      if (this.#isDue || signal.aborted) continue;
      this.#waiting = new AbortController();
      await this.#clock.sleep(waitMs, AbortSignal.any([signal, this.#waiting.signal]));
      this.#waiting = undefined;
    }
  }
}
