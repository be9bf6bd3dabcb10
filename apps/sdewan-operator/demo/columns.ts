import { styleText } from "node:util";

export type Style = "bold" | "green" | "yellow" | "dim";

/** A text in a table, and its style in color output. */
export interface Cell {
  readonly text: string;
  readonly style?: Style | undefined;
}

export interface Column {
  readonly title: string;
  /** Minimum width to which the column may shrink if lines are too long. Default: the column does not shrink. */
  readonly minWidth?: number;
  /** True to cut the text in the middle instead of at its end. */
  readonly keepsEnd?: boolean;
}

export interface TableOptions {
  readonly colours: boolean;
  /** Maximum line length. Default: unlimited. */
  readonly width?: number | undefined;
}

const gap = 2;

/** Returns the lines of a table with a header. If lines are too long, columns shrink first, then the lines are cut. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { colours, width = Number.POSITIVE_INFINITY }: TableOptions,
): string[] {
  const widths = fitted(columns, rows, width);
  const head = columns.map(({ title }): Cell => ({ text: title, style: "bold" }));
  return [head, ...rows].map((cells) => {
    const texts = columns.map((column, index) => cut(cells[index]?.text ?? "", widths[index] ?? 0, column.keepsEnd));
    const last = texts.findLastIndex((text) => text !== "");
    let left = width;
    return texts
      .slice(0, last + 1)
      .map((text, index) => {
        const shown = cut(text, left);
        left -= shown.length;
        const padding = index === last ? 0 : Math.min((widths[index] ?? 0) - shown.length + gap, left);
        left -= padding;
        return painted(shown, cells[index]?.style, colours) + " ".repeat(padding);
      })
      .join("");
  });
}

/** Returns column widths. They fit the contents; if the total is too large, the column that exceeds its minimum most shrinks first. */
function fitted(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.text.length ?? 0)),
  );
  const spare = (index: number): number =>
    (widths[index] ?? 0) - (columns[index]?.minWidth ?? Number.POSITIVE_INFINITY);
  let excess = widths.reduce((sum, each) => sum + each + gap, -gap) - width;
  for (; excess > 0; excess--) {
    const giver = widths.map((_, index) => index).reduce((a, b) => (spare(b) > spare(a) ? b : a));
    if (spare(giver) <= 0) break;
    widths[giver] = (widths[giver] ?? 0) - 1;
  }
  return widths;
}

/** Shortens a text to a number of characters, with an ellipsis for the omitted part. */
export function cut(text: string, width: number, keepsEnd = false): string {
  if (text.length <= width) return text;
  if (width <= 1) return "…".slice(0, Math.max(0, width));
  const tail = keepsEnd ? Math.floor((width - 1) / 2) : 0;
  return `${text.slice(0, width - 1 - tail)}…${text.slice(text.length - tail)}`;
}

export const painted = (text: string, style: Style | undefined, colours: boolean): string =>
  colours && style !== undefined && text !== "" ? styleText(style, text, { validateStream: false }) : text;
