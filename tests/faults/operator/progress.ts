/** Progress of a run. */
export interface Played {
  readonly played: number;
  readonly failures: number;
}

const everyMs = 10_000;
const everySchedules = 25;

/** Prints the progress of a run occasionally: after a number of schedules, or some time. */
export class Progress {
  readonly #count: number;
  readonly #nowMs: () => number;
  readonly #print: (line: string) => void;
  readonly #startedMs: number;
  #printedMs: number;
  #printed = 0;

  /** @param nowMs a monotonic clock */
  constructor(count: number, nowMs: () => number, print: (line: string) => void) {
    this.#count = count;
    this.#nowMs = nowMs;
    this.#print = print;
    this.#startedMs = nowMs();
    this.#printedMs = this.#startedMs;
  }

  /** Called after each schedule. */
  readonly update = ({ played, failures }: Played): void => {
    const nowMs = this.#nowMs();
    if (played - this.#printed < everySchedules && nowMs - this.#printedMs < everyMs) return;
    this.#printed = played;
    this.#printedMs = nowMs;
    const seconds = Math.max(nowMs - this.#startedMs, 1) / 1_000;
    const leftMinutes = ((this.#count - played) * seconds) / played / 60;
    const rate = `${(played / seconds).toFixed(2)} a second`;
    this.#print(
      `${played} of ${this.#count} schedules, ${failures} failed, ${rate}, ${leftMinutes.toFixed(1)} min left`,
    );
  };
}
