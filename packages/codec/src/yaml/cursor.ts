/** Thrown if YAML cannot be parsed. The message is the same as upstream's, but without the prefix `yaml: `. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** Character code that represents the end of the text. It cannot occur in the text itself. */
export const end = 0;
export const [tab, space] = [0x09, 0x20];
const [lineFeed, carriageReturn] = [0x0a, 0x0d];
export const [dash, dot] = [0x2d, 0x2e];
const [nextLine, lineSeparator, paragraphSeparator] = [0x85, 0x2028, 0x2029];

export const isBlank = (code: number): boolean => code === space || code === tab;
export const isBreak = (code: number): boolean =>
  code === lineFeed ||
  code === carriageReturn ||
  code === nextLine ||
  code === lineSeparator ||
  code === paragraphSeparator;
export const isBreakOrEnd = (code: number): boolean => code === end || isBreak(code);
export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Reports whether a character is a letter, a digit, `_` or `-`. */
export const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === 0x2d;

const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** A position in a string, with its line number. The position only moves forward. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** Line number, counted from 0 as in upstream. */
  line = 0;
  #lineStart = 0;

  /** Creates a cursor at the start of a string. @throws {YamlError} if the string contains characters that YAML does not permit */
  constructor(text: string) {
    if (forbidden.test(text)) throw new YamlError("control characters are not allowed");
    this.text = text;
  }

  get column(): number {
    return this.at - this.#lineStart;
  }

  /** Returns the code unit at the given distance from the position, or {@link end} after the last one. */
  code(ahead = 0): number {
    const at = this.at + ahead;
    return at < this.text.length ? this.text.charCodeAt(at) : end;
  }

  /** Skips a line break. @returns the line break as it appears in a scalar */
  takeBreak(): string {
    const code = this.code();
    this.at += code === carriageReturn && this.code(1) === lineFeed ? 2 : 1;
    this.line++;
    this.#lineStart = this.at;
    return code === lineSeparator || code === paragraphSeparator ? String.fromCharCode(code) : "\n";
  }

  /** Consumes the next characters as long as the condition holds. */
  takeWhile(holds: (code: number) => boolean): string {
    const start = this.at;
    while (holds(this.code())) this.at++;
    return this.text.slice(start, this.at);
  }

  /** Skips the rest of the line if it is a comment. */
  skipComment(): void {
    if (this.code() === 0x23) while (!isBreakOrEnd(this.code())) this.at++;
  }

  /** Moves to the start of a new line at the end of the text, even if the text does not end with a line break. */
  finishLine(): void {
    if (this.column === 0) return;
    this.line++;
    this.#lineStart = this.at;
  }

  /** Reports whether the line starts with `---` or `...` as a separate word. */
  isAtIndicator(char: number): boolean {
    return (
      this.code() === char &&
      this.at === this.#lineStart &&
      this.code(1) === char &&
      this.code(2) === char &&
      isBlankOrEnd(this.code(3))
    );
  }

  get isAtDocumentIndicator(): boolean {
    return this.isAtIndicator(dash) || this.isAtIndicator(dot);
  }

  /** Returns an error with the line of the current position. */
  error(problem: string): YamlError {
    return new YamlError(this.line === 0 ? problem : `line ${this.line + 1}: ${problem}`);
  }
}
