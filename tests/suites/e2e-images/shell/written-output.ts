/** A simulated process's output. */
export interface SimulatedOutput {
  /** Time since the process started. */
  readonly atMs: number;
  readonly text: string;
}

/** Maximum length of a process's output or of a word, in characters. */
export const mostOutput = 1_000_000;

/** Truncates longer text. */
export const joined = (before: string, text: string): string => (before.length > mostOutput ? before : before + text);

/** Output that a simulated process does not redirect to a variable or file. */
export class WrittenOutput {
  readonly list: SimulatedOutput[] = [];
  readonly #isVisible: boolean;
  #length = 0;
  #takers = 0;

  /** @param isVisible true if the output is stored */
  constructor(isVisible: boolean) {
    this.#isVisible = isVisible;
  }

  add(atMs: number, text: string): void {
    if (text === "" || !this.#isVisible || this.#takers > 0) return;
    this.#length += text.length;
    if (this.#length <= mostOutput) this.list.push({ atMs, text });
  }

  /** Captures the output that `write` produces. */
  taken(write: () => string): string {
    this.#takers += 1;
    try {
      return write();
    } finally {
      this.#takers -= 1;
    }
  }
}
