/** Output of a simulated process. */
export interface SimulatedOutput {
  /** Time after the start of the process. */
  readonly atMs: number;
  readonly text: string;
}

/** Maximum length of a process's output or word, in characters. */
export const mostOutput = 1_000_000;

/** Truncates longer text. */
export const joined = (before: string, text: string): string => (before.length > mostOutput ? before : before + text);

/** Output of a simulated process that is not redirected to a variable or file. */
export class WrittenOutput {
  readonly list: SimulatedOutput[] = [];
  readonly #isHeard: boolean;
  #length = 0;
  #takers = 0;

  /** @param isHeard true to keep the output */
  constructor(isHeard: boolean) {
    this.#isHeard = isHeard;
  }

  add(atMs: number, text: string): void {
    if (text === "" || !this.#isHeard || this.#takers > 0) return;
    this.#length += text.length;
    if (this.#length <= mostOutput) this.list.push({ atMs, text });
  }

  /** Captures the output of `write`. */
  taken(write: () => string): string {
    this.#takers += 1;
    try {
      return write();
    } finally {
      this.#takers -= 1;
    }
  }
}
