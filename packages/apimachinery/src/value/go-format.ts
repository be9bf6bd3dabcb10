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

/** A string in quotes, as Go's `%q` writes it: upstream's messages quote this way. */
export function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here
  const body = text.replace(/["\\\u0000-\u001f\u007f]/g, (char) => {
    const known = escapes[char];
    return known ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `"${body}"`;
}

/** A JSON value as Go's `%v` writes it: `map[a:1 b:[x y]]`, keys sorted. Some of upstream's messages hold such text. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, item]) => `${key}:${formatGoValue(item)}`).join(" ")}]`;
  }
  if (typeof value === "number") return formatGoNumber(value);
  return String(value);
}

/** A number as Go's `%v` writes a float64 (or, when whole, an int64). */
export function formatGoNumber(value: number): string {
  const isWhole = Number.isInteger(value) && Math.abs(value) < 2 ** 63;
  const size = Math.abs(value);
  if (isWhole || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
