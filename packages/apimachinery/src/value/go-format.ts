const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Quotes a string like Go's `%q` (`strconv.Quote`), which is used in upstream's messages. */
export function quote(text: string): string {
  return `"${text.toWellFormed().replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|["\\]/gu, escaped)}"`;
}

function escaped(point: string): string {
  const short = escapes[point];
  if (short) return short;
  const code = point.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** Quotes several strings, as Go's `%q` does for a slice. */
export const quoteList = (texts: Iterable<string>): string => `[${Array.from(texts, quote).join(" ")}]`;

/** Formats a number as Go's `%v` does for a float64 or, if the number is an integer, for an int64. */
export function formatGoNumber(value: number): string {
  const isWhole = Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  const size = Math.abs(value);
  if (isWhole || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
