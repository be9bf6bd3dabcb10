/** How far it has got. */
export interface Played {
  readonly played: number;
  readonly failures: number;
}

const everyMs = 10_000;
const everySchedules = 25;

/** Says now and then how far many schedules have got: after so many of them, or after so long. */
export class Progress {
  readonly #count: number;
  readonly #nowMs: () => number;
  readonly #say: (line: string) => void;
  readonly #startedMs: number;
  #saidMs: number;
  #said = 0;

  /** @param nowMs a clock that never goes back */
  constructor(count: number, nowMs: () => number, say: (line: string) => void) {
    this.#count = count;
    this.#nowMs = nowMs;
    this.#say = say;
    this.#startedMs = nowMs();
    this.#saidMs = this.#startedMs;
  }

  /** After each schedule. */
  readonly tell = ({ played, failures }: Played): void => {
    const nowMs = this.#nowMs();
    if (played - this.#said < everySchedules && nowMs - this.#saidMs < everyMs) return;
    this.#said = played;
    this.#saidMs = nowMs;
    const seconds = Math.max(nowMs - this.#startedMs, 1) / 1_000;
    const leftMinutes = ((this.#count - played) * seconds) / played / 60;
    const rate = `${(played / seconds).toFixed(2)} a second`;
    this.#say(`${played} of ${this.#count} schedules, ${failures} failed, ${rate}, ${leftMinutes.toFixed(1)} min left`);
  };
}
