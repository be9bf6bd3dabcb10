/** Text with spaces for its line ends. */
const inLine = (text: string): string =>
  text.replace(/\s+/g, (blank) => (/[\r\n\u2028\u2029]/.test(blank) ? " " : blank));

/** Code in a line, whatever is in it. */
export function code(text: string): string {
  const plain = inLine(text);
  // What builds pages takes them for templates, code within a line included.
  if (plain.includes("{{")) return `<code>${plain.replace(/[^A-Za-z0-9 ]/gu, entity)}</code>`;
  const longest = (plain.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const space = plain.startsWith("`") || plain.endsWith("`") || plain === "" ? " " : "";
  return `${fence}${space}${plain}${space}${fence}`;
}

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;" };
const entity = (letter: string): string => named[letter] ?? `&#${letter.codePointAt(0)};`;

/**
 * Markdown that somebody else wrote: nothing in it is markup of pages, or of what builds them. There a brace begins an expression, or
 * attributes of what stands before it; a backtick without another would join the code that follows; a picture would be asked for elsewhere.
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

/** Backslashes are written out where they would take the meaning of what follows them. */
const escaped = (text: string): string =>
  text.replace(/(?<!\\)\\+(?=[&<{`]|!\[|$)|[&<{`]|!(?=\[)/g, (found) => [...found].map(entity).join(""));

interface Span {
  readonly start: number;
  readonly end: number;
  /** How many backticks there are on either side. */
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

/** A table's cell is one line. */
export const inCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replace(/(\r\n|[\r\n\u2028\u2029]){2,}/g, "<br><br>")
    .replace(/\r\n|[\r\n\u2028\u2029]/g, " ");
