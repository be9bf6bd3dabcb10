/**
 * Patterns of values that differ each time, such as ages, times, uids and ports, with the text that replaces them before the
 * comparison.
 */
const varying: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  [/\x1b\[[0-9;]*m/g, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
  [/\b(127\.0\.0\.1|localhost|\[::1\]):\d+/g, "$1:<port>"],
  [/(?<![\w.])(?:\d+(?:\.\d+)? ?(?:ms|min|[smhd])(?![\w-]))+|(?<![\w.])(?:\d+[dhms])+(?![\w-])/g, "<age>"],
  [/-[0-9a-f]{8,10}-[a-z0-9]{5}\b/g, "-<pod>"],
  [/\s+/g, " "],
];

const plain = (line: string): string =>
  varying.reduce((text, [pattern, word]) => text.replace(pattern, word), line).trimEnd();

/** Reports whether a line matches the line of the page, in which `…` stands for any text. */
function isLike(expected: string, actual: string): boolean {
  const parts = plain(expected).split("…");
  if (parts.length === 1) return parts[0] === plain(actual);
  const text = plain(actual);
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    at = text.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return at <= text.length - last.length;
}

const trimmed = (lines: readonly string[]): readonly string[] => {
  const end = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(0, end + 1);
};

/**
 * Returns the lines in which the output differs from the page, with `-` before lines of the page and `+` before lines of the output.
 * Returns undefined if the output matches. `…` in a line stands for any text, and a line with only `…` for any number of lines.
 *
 * @param isPrefix true to allow further output
 */
export function differenceOf(
  expected: readonly string[],
  actual: readonly string[],
  isPrefix = false,
): string | undefined {
  const [want, got] = [trimmed(expected), trimmed(actual)];
  if (isPrefix ? isSame([...want, "…"], got) : isSame(want, got)) return undefined;
  let from = 0;
  while (
    from < want.length &&
    from < got.length &&
    want[from]?.trim() !== "…" &&
    isLike(want[from] ?? "", got[from] ?? "")
  )
    from++;
  let end = 0;
  while (
    end < Math.min(want.length, got.length) - from &&
    want.at(-1 - end)?.trim() !== "…" &&
    isLike(want.at(-1 - end) ?? "", got.at(-1 - end) ?? "")
  )
    end++;
  const marked = (mark: string, lines: readonly string[]): readonly string[] =>
    lines.slice(from, lines.length - end).map((line) => `${mark} ${line}`.trimEnd());
  return [...marked("-", want), ...marked("+", got)].join("\n");
}

/**
 * Compares the output with the page by dynamic programming, with one row for each line of the page and one column for
 * each printed line.
 */
function isSame(want: readonly string[], got: readonly string[]): boolean {
  let reach: readonly boolean[] = [true, ...got.map(() => false)];
  for (const line of want) {
    const isAny = line.trim() === "…";
    const next: boolean[] = [isAny && (reach[0] ?? false)];
    for (const [index, actual] of got.entries())
      next.push(
        isAny ? (next[index] ?? false) || (reach[index + 1] ?? false) : (reach[index] ?? false) && isLike(line, actual),
      );
    reach = next;
  }
  return reach.at(-1) ?? false;
}
