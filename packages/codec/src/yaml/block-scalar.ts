import { type Cursor, end, isBlank, isBreak, isBreakOrEnd, isDigit, space, tab } from "./cursor.ts";

const [plus, minus, zero, folded] = [0x2b, 0x2d, 0x30, 0x3e];

/** Scans a scalar that starts with `|` or `>`. `parentIndent` is the indentation of the enclosing collection, or -1 if there is none. */
export function scanBlockScalar(cursor: Cursor, parentIndent: number): string {
  const isFolded = cursor.code() === folded;
  cursor.at++;
  const { chomping, increment } = scanHeader(cursor);
  const lines = new Lines(cursor, parentIndent, increment === 0 ? 0 : Math.max(parentIndent, 0) + increment);
  const parts: string[] = [];
  let lead = "";
  let wasBlank = false;
  let breaks = lines.skipEmpty();
  while (cursor.column === lines.indent && cursor.code() !== end) {
    const beginsBlank = isBlank(cursor.code());
    const isJoined = isFolded && !wasBlank && !beginsBlank && lead === "\n";
    parts.push(isJoined ? (breaks === "" ? " " : "") : lead, breaks);
    wasBlank = beginsBlank;
    const start = cursor.at;
    while (!isBreakOrEnd(cursor.code())) cursor.at++;
    parts.push(cursor.text.slice(start, cursor.at));
    lead = cursor.code() === end ? "" : cursor.takeBreak();
    breaks = lines.skipEmpty();
  }
  if (chomping !== minus) parts.push(lead);
  if (chomping === plus) parts.push(breaks);
  return parts.join("");
}

/** Scans the indicators after `|` or `>`, in either order, and the rest of the line. */
function scanHeader(cursor: Cursor): { readonly chomping: number; readonly increment: number } {
  let [chomping, increment] = [0, 0];
  const chomp = (): void => {
    const code = cursor.code();
    if (code !== plus && code !== minus) return;
    chomping = code;
    cursor.at++;
  };
  const indent = (): void => {
    const code = cursor.code();
    if (!isDigit(code)) return;
    if (code === zero) throw cursor.error("found an indentation indicator equal to 0");
    increment = code - zero;
    cursor.at++;
  };
  if (isDigit(cursor.code())) {
    indent();
    chomp();
  } else {
    chomp();
    if (chomping !== 0) indent();
  }
  while (isBlank(cursor.code())) cursor.at++;
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.code())) throw cursor.error("did not find expected comment or line break");
  if (isBreak(cursor.code())) cursor.takeBreak();
  return { chomping, increment };
}

/** Finds where the lines of a block scalar start. The first line that is not empty determines the indentation. */
class Lines {
  readonly #cursor: Cursor;
  readonly #parentIndent: number;
  indent: number;

  constructor(cursor: Cursor, parentIndent: number, indent: number) {
    this.#cursor = cursor;
    this.#parentIndent = parentIndent;
    this.indent = indent;
  }

  /** Skips indentation and empty lines. @returns the line breaks of the empty lines */
  skipEmpty(): string {
    const cursor = this.#cursor;
    const breaks: string[] = [];
    let deepest = 0;
    for (;;) {
      const isOpen = (): boolean => this.indent === 0 || cursor.column < this.indent;
      while (isOpen() && cursor.code() === space) cursor.at++;
      deepest = Math.max(deepest, cursor.column);
      if (isOpen() && cursor.code() === tab)
        throw cursor.error("found a tab character where an indentation space is expected");
      if (!isBreak(cursor.code())) break;
      breaks.push(cursor.takeBreak());
    }
    if (this.indent === 0) this.indent = Math.max(deepest, this.#parentIndent + 1, 1);
    return breaks.join("");
  }
}
