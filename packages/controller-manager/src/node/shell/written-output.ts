/** Something that a simulated process writes. */
export interface SimulatedOutput {
  /** After the start of the process. */
  readonly atMs: number;
  readonly text: string;
}

/** Of what a process writes or holds in a word, in characters. */
export const mostOutput = 1_000_000;

/** What is too much is left out. */
export const joined = (before: string, text: string): string => (before.length > mostOutput ? before : before + text);

/** What a simulated process writes, as far as neither a variable nor a file takes it. */
export class WrittenOutput {
  readonly list: SimulatedOutput[] = [];
  readonly #isHeard: boolean;
  #length = 0;
  #takers = 0;

  /** @param isHeard whether anything is to be kept */
  constructor(isHeard: boolean) {
    this.#isHeard = isHeard;
  }

  add(atMs: number, text: string): void {
    if (text === "" || !this.#isHeard || this.#takers > 0) return;
    this.#length += text.length;
    if (this.#length <= mostOutput) this.list.push({ atMs, text });
  }

  /** Writes for somebody who takes it. */
  taken(write: () => string): string {
    this.#takers += 1;
    try {
      return write();
    } finally {
      this.#takers -= 1;
    }
  }
}
