import type { Clock } from "@kubewright/clock";

/** Repeats a task after the delay that the task itself requests, or sooner if {@link kick} is called. */
export class Recurring {
  readonly #work: (signal: AbortSignal) => Promise<number>;
  readonly #clock: Clock;
  #isDue = true;
  #waiting: AbortController | undefined;

  /**
   * Creates a repeated task, which runs once {@link run} is called.
   *
   * @param work runs the task and resolves to the delay before the next run, in milliseconds; an error ends {@link run}
   */
  constructor(work: (signal: AbortSignal) => Promise<number>, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /** Runs the task soon. If the task is already running, runs it again afterwards. */
  kick(): void {
    this.#isDue = true;
    this.#waiting?.abort();
  }

  /** Repeats the task until the signal aborts. */
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
