import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GeneratedFile } from "./generated-file.ts";

const shownWidth = 200;

/**
 * Returns the removed (`-`) and added (`+`) lines of a file, shortened for reading. The result is empty if the file
 * is unchanged.
 */
export function changedLines(before: string, after: string): string[] {
  if (before === after) return [];
  const { lost, gained } = difference(before.split("\n"), after.split("\n"));
  const shown: string[] = [];
  for (const line of lost) {
    const now = gained.findIndex((other) => isSameItem(line, other));
    if (now < 0) shown.push(`- ${line}`);
    else shown.push(...changedParts(line, gained.splice(now, 1)[0] ?? ""));
  }
  shown.push(...gained.map((line) => `+ ${line}`));
  if (shown.length === 0) return ["  (same lines in another order)"];
  return shown.map((line) => (line.length > shownWidth ? `${line.slice(0, shownWidth)}…` : line));
}

/** True if two lines of a table begin with the same name. */
function isSameItem(a: string, b: string): boolean {
  const [before = "", ...more] = a.trim().split(" ", 2);
  return more.length > 0 && !before.startsWith("{") && before === b.trim().split(" ", 1)[0];
}

/** Returns only the changed items of two long lines, which are lists. */
function changedParts(before: string, after: string): string[] {
  if (before.length <= shownWidth && after.length <= shownWidth) return [`- ${before}`, `+ ${after}`];
  const separator = [", ", "},{"].find((each) => before.includes(each)) ?? " ";
  const { lost, gained } = difference(before.split(separator), after.split(separator));
  const [name = ""] = before.split(" ", 1);
  return [...lost.map((part) => `- ${name} … ${part}`), ...gained.map((part) => `+ ${name} … ${part}`)];
}

function difference(before: readonly string[], after: readonly string[]): { lost: string[]; gained: string[] } {
  const rest = countOf(after);
  const gone = countOf(before);
  return { lost: before.filter((each) => !taken(rest, each)), gained: after.filter((each) => !taken(gone, each)) };
}

function countOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function taken(counts: Map<string, number>, line: string): boolean {
  const left = counts.get(line) ?? 0;
  if (left > 0) counts.set(line, left - 1);
  return left > 0;
}

/** Returns one entry for each changed file: its path and its changes. The entries also show which manual changes may be necessary. */
export function workList(root: string, files: readonly GeneratedFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const file = join(root, path);
    const lines = changedLines(existsSync(file) ? readFileSync(file, "utf8") : "", text);
    const shown = /go\.(mod|sum)$/.test(path) ? [] : lines; // the version is enough
    return lines.length === 0 ? [] : [[path, ...shown.map((line) => `  ${line}`)].join("\n")];
  });
}
