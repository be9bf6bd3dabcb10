/** Replaces line ends with spaces. */
const inLine = (text: string): string =>
  text.replace(/\s+/g, (blank) => (/[\r\n\u2028\u2029]/.test(blank) ? " " : blank));

/** Formats any string as inline code. */
export function code(text: string): string {
  const plain = inLine(text);
  // Site generators treat double braces as templates, even in inline code.
  if (plain.includes("{{")) return `<code>${plain.replace(/[^A-Za-z0-9 ]/gu, entity)}</code>`;
  const longest = (plain.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const space = plain.startsWith("`") || plain.endsWith("`") || plain === "" ? " " : "";
  return `${fence}${space}${plain}${space}${fence}`;
}

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;" };
const entity = (letter: string): string => named[letter] ?? `&#${letter.codePointAt(0)};`;

/**
 * Escapes text from a CRD, so that neither Markdown nor site generators treat it as markup. Without escaping, braces
 * could start expressions or attributes, a single backtick could start a code span, and images could be loaded from
 * other servers.
 */
export function prose(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, fence } of codeSpans(text)) {
    parts.push(escaped(text.slice(at, start)), code(text.slice(start + fence, end - fence).trim()));
    at = end;
  }
  return [...parts, escaped(text.slice(at))].join("").trim();
}

/** Escapes special characters, and backslashes that would escape the next character. */
const escaped = (text: string): string =>
  text.replace(/(?<!\\)\\+(?=[&<{`]|!\[|$)|[&<{`]|!(?=\[)/g, (found) => [...found].map(entity).join(""));

interface Span {
  readonly start: number;
  readonly end: number;
  /** Number of backticks on each side of the code. */
  readonly fence: number;
}

function* codeSpans(text: string): Generator<Span> {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ start: run.index, fence: run[0].length }));
  const nextOf = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let i = runs.length - 1; i >= 0; i--) {
    const fence = runs[i]?.fence ?? 0;
    closing[i] = nextOf.get(fence) ?? -1;
    nextOf.set(fence, i);
  }
  for (let i = 0; i < runs.length; i++) {
    const [open, close] = [runs[i], runs[closing[i] ?? -1]];
    if (!open || !close || /\n[ \t\r]*\n/.test(text.slice(open.start, close.start))) continue;
    yield { start: open.start, end: close.start + close.fence, fence: open.fence };
    i = closing[i] ?? i;
  }
}

/** Formats text as one line for a table cell. */
export const inCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replace(/(\r\n|[\r\n\u2028\u2029]){2,}/g, "<br><br>")
    .replace(/\r\n|[\r\n\u2028\u2029]/g, " ");
