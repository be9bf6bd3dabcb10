import type { Difference } from "./compare.ts";
import { readDifferencesFile } from "./listed-differences.ts";

/** A row of DIFFERENCES.md about texts that the embedded server words differently, anywhere. */
export interface IgnoredText {
  readonly upstream: RegExp;
  readonly ours: RegExp;
  readonly reason: string;
}

const row = /^\| `\/([^`]+)\/` *\| `\/([^`]+)\/` *\| (.+?) *\|$/gm;

/** Parses rows of the form: | `/upstream's text/` | `/ours/` | reason |. A bar in an expression is escaped, as in any table. */
export function parseIgnoredTexts(text: string): IgnoredText[] {
  return [...text.matchAll(row)].map(([, upstream = "", ours = "", reason = ""]) => ({
    upstream: new RegExp(upstream.replaceAll("\\|", "|"), "gs"),
    ours: new RegExp(ours.replaceAll("\\|", "|"), "s"),
    reason,
  }));
}

export const readIgnoredTexts = (): IgnoredText[] => parseIgnoredTexts(readDifferencesFile());

/** Rows that a difference of this run needed, by upstream's text. */
const needed = new Set<string>();

export const wasNeeded = ({ upstream }: IgnoredText): boolean => needed.has(upstream.source);

const texts = /^(body\.message|body\.details\.causes\[\d+\]\.message|headers\.warning)$/;

/** Reports whether two messages differ only in such texts: the surrounding text is equal, and our texts replace upstream's. */
export function isIgnored({ path, real, ours }: Difference, rows: readonly IgnoredText[]): boolean {
  if (!texts.test(path) || typeof real !== "string" || typeof ours !== "string") return false;
  const found = rows
    .flatMap((row) => [...real.matchAll(row.upstream)].map(({ 0: words, index }) => ({ row, words, index })))
    .sort((a, b) => a.index - b.index);
  let [pattern, at] = ["", 0];
  const met: IgnoredText[] = [];
  for (const { row, words, index } of found) {
    if (index < at) continue;
    pattern += `${escaped(real.slice(at, index))}(?:(${row.ours.source})|${escaped(words)})`;
    at = index + words.length;
    met.push(row);
  }
  const match = new RegExp(`^${pattern}${escaped(real.slice(at))}$`, "s").exec(ours);
  if (!match) return false;
  for (const [i, row] of met.entries()) if (match[i + 1] !== undefined) needed.add(row.upstream.source);
  return true;
}

/** Returns a pattern that matches exactly this text. */
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
