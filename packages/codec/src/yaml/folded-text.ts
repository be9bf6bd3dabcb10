import { type Cursor, isBlank, isBreak, tab } from "./cursor.ts";

/** Collects the white space between the words of a multi-line scalar, and returns its folded form. */
export class Whitespace {
  readonly #cursor: Cursor;
  /** White space before the first line break. */
  #blanks = "";
  #first = "";
  #more = "";
  hasBreak = false;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /** Records an escaped line break. White space after it is indentation. */
  beginLine(): void {
    this.hasBreak = true;
  }

  /** Skips white space. A tab before column `indent` of a line is an error. */
  take(indent = 0): void {
    const cursor = this.#cursor;
    for (;;) {
      const code = cursor.code();
      if (isBreak(code)) {
        if (this.hasBreak) this.#more += cursor.takeBreak();
        else this.#first = cursor.takeBreak();
        this.hasBreak = true;
      } else if (!isBlank(code)) return;
      else if (this.hasBreak) {
        if (code === tab && cursor.column < indent)
          throw cursor.error("found a tab character that violates indentation");
        cursor.at++;
      } else this.#blanks += cursor.takeWhile(isBlank);
    }
  }

  /** Returns the folded form: a single line break becomes a space, and the first of several line breaks is dropped. */
  fold(): string {
    const folded = !this.hasBreak
      ? this.#blanks
      : this.#first !== "\n"
        ? this.#first + this.#more
        : this.#more === ""
          ? " "
          : this.#more;
    this.#blanks = "";
    this.#first = "";
    this.#more = "";
    this.hasBreak = false;
    return folded;
  }
}
