/** A problem of a page: `docs/guide/a.md:12: …`. */
export interface Finding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export const textOf = ({ file, line, message }: Finding): string => `${file}:${line}: ${message}`;

/** Returns the lines of a page; `isCode` is true within a code fence. */
export function linesOf(text: string): readonly { readonly line: string; readonly isCode: boolean }[] {
  let fence = "";
  return text.split("\n").map((line) => {
    const [, mark = ""] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    const isCode = fence !== "" || mark !== "";
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    return { line, isCode };
  });
}
