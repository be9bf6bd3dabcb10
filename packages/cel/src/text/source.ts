/** The text of an expression. Positions in it are counted in code points. */
export class Source {
  readonly text: string;
  readonly #points: readonly string[];
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    this.#points = [...text];
    this.#lineStarts = [0, ...this.#points.flatMap((point, i) => (point === "\n" ? [i + 1] : []))];
  }

  get length(): number {
    return this.#points.length;
  }

  at(offset: number): string {
    return this.#points[offset] ?? "";
  }

  slice(from: number, to: number): string {
    return this.#points.slice(from, to).join("");
  }

  /** Returns the line (counted from 1) and the column (counted from 0) of a position. */
  location(offset: number): Location {
    if (offset < 0) return noLocation;
    let line = this.#lineStarts.length;
    while (line > 1 && (this.#lineStarts[line - 1] ?? 0) > offset) line--;
    return { line, column: offset - (this.#lineStarts[line - 1] ?? 0) };
  }

  line(number: number): string | undefined {
    const start = this.#lineStarts[number - 1];
    if (start === undefined) return undefined;
    const next = this.#lineStarts[number];
    return this.slice(start, next === undefined ? this.#points.length : next - 1);
  }
}

export interface Location {
  readonly line: number;
  readonly column: number;
}

export const noLocation: Location = { line: -1, column: -1 };

const maxErrors = 100;
const maxSnippetBytes = 16384;

/** Errors in an expression, with their positions. @see cel-go common/errors.go */
export class Diagnostics {
  readonly source: Source;
  readonly #found: { location: Location; message: string }[] = [];
  #count = 0;
  readonly #lines = new Map<number, string | undefined>();

  constructor(source: Source) {
    this.source = source;
  }

  get count(): number {
    return this.#count;
  }

  /** Message of the error that was reported first, without its position. */
  get first(): string | undefined {
    return this.#found[0]?.message;
  }

  report(at: number | Location, message: string): void {
    this.#count++;
    if (this.#count > maxErrors) return;
    this.#found.push({ location: typeof at === "number" ? this.source.location(at) : at, message });
  }

  /** Formats all errors in the order of the source, each with its line. */
  toString(): string {
    const sorted = this.#found.toSorted(
      (a, b) => a.location.line - b.location.line || a.location.column - b.location.column,
    );
    const lines = sorted.map(({ location, message }) => this.#show(location, message));
    if (this.#count > maxErrors) lines.push(`${this.#count - maxErrors} more errors were truncated`);
    return lines.join("\n");
  }

  #show({ line, column }: Location, message: string): string {
    // an empty text has no positions
    if (line === 1 && this.source.length === 0) return `ERROR: <input>:1:0: ${message}`;
    const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    const text = this.#snippet(line);
    if (text === undefined) return head;
    const points = [...text];
    const isWide = (point: string | undefined): boolean => point !== undefined && point > "\u007f";
    const dots = points.slice(0, Math.max(column, 0)).map((point) => (isWide(point) ? "\uff0e" : "."));
    return `${head}\n | ${text}\n | ${dots.join("")}${isWide(points[column]) ? "\uff3e" : "^"}`;
  }
  /** Returns a line as messages contain it, or undefined if it is too long. Lines are kept, because many errors may be in one line. */
  #snippet(line: number): string | undefined {
    const known = this.#lines.get(line);
    if (known !== undefined || this.#lines.has(line)) return known;
    const text = this.source.line(line)?.replaceAll("\t", " ");
    const shown = text !== undefined && Buffer.byteLength(text) <= maxSnippetBytes ? text : undefined;
    this.#lines.set(line, shown);
    return shown;
  }
}
