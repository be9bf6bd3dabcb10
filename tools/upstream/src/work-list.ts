import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GeneratedFile } from "./generated-file.ts";

const shownWidth = 200;

/** Lines that a file loses (`-`) and gains (`+`), shortened to be read; empty where it stays as it is. */
export function changedLines(before: string, after: string): string[] {
  if (before === after) return [];
  const left = before.split("\n");
  const right = after.split("\n");
  const rest = countOf(right);
  const lost = left.filter((line) => !taken(rest, line));
  const gone = countOf(left);
  const gained = right.filter((line) => !taken(gone, line));
  const shown = [...lost.map((line) => `- ${line}`), ...gained.map((line) => `+ ${line}`)].map((line) =>
    line.length > shownWidth ? `${line.slice(0, shownWidth)}…` : line,
  );
  return shown.length > 0 ? shown : ["  (the same lines in another order)"];
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

/** One entry a file that changes: its path and what changes in it. This is what is left to do by hand, too. */
export function workList(root: string, files: readonly GeneratedFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const file = join(root, path);
    const lines = changedLines(existsSync(file) ? readFileSync(file, "utf8") : "", text);
    return lines.length === 0 ? [] : [`${path}\n${lines.map((line) => `  ${line}`).join("\n")}`];
  });
}
