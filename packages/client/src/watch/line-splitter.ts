const newline = 0x0a;

/**
 * Splits a stream of chunks into lines, by bytes, so that a character split across two chunks is never decoded in halves. If possible,
 * a line is a view into its chunk and keeps the whole chunk in memory, so copy data that you want to keep.
 *
 */
export class LineSplitter {
  #unfinished: Buffer[] = [];

  /** Returns the lines that this chunk completes, without their newlines; empty lines are left out. */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      const line = this.#unfinished.length === 0 ? piece : Buffer.concat([...this.#unfinished, piece]);
      this.#unfinished = [];
      if (line.length > 0) lines.push(line);
    }
    if (start < chunk.length) this.#unfinished.push(start === 0 ? chunk : chunk.subarray(start));
    return lines;
  }

  /** Returns the bytes after the last newline, or `undefined`. */
  rest(): Buffer | undefined {
    return this.#unfinished.length === 0 ? undefined : Buffer.concat(this.#unfinished);
  }
}
