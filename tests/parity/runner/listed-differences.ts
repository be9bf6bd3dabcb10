import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Difference } from "./compare.ts";

/** A row of DIFFERENCES.md. */
export interface ListedDifference {
  /** In the form `sequence/step`. */
  readonly step: string;
  /** Paths in the answer that differ, all in this step. */
  readonly paths: readonly string[];
  readonly reason: string;
}

const row = /^\| `([^`]+)` *\| (.+?) *\| (.+?) *\|$/gm;

/** Parses rows of the form: | `sequence/step` | `path`, `path` | reason |. */
export function parseDifferences(text: string): ListedDifference[] {
  return [...text.matchAll(row)].map(([, step = "", what = "", reason = ""]) => ({
    step,
    paths: [...what.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    reason,
  }));
}

export const readDifferencesFile = (): string =>
  readFileSync(join(import.meta.dirname, "..", "DIFFERENCES.md"), "utf8");

export const readDifferences = (): ListedDifference[] =>
  parseDifferences(readDifferencesFile().split(/^## /m)[0] ?? "");

/** Returns the deviations from the list: missing differences, and rows that no longer apply. */
export function unaccounted(
  step: string,
  found: readonly Difference[],
  listed: readonly ListedDifference[],
): { readonly unlisted: readonly Difference[]; readonly stale: readonly string[] } {
  const paths = listed.filter((each) => each.step === step).flatMap((each) => each.paths);
  return {
    unlisted: found.filter(({ path }) => !paths.includes(path)),
    stale: paths.filter((path) => !found.some((difference) => difference.path === path)),
  };
}
