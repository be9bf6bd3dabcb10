import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Difference } from "./compare.ts";

/** A row of DIFFERENCES.md. */
export interface ListedDifference {
  /** `sequence/step`. */
  readonly step: string;
  /** Paths of the answer that differ, all in this step. */
  readonly paths: readonly string[];
  readonly reason: string;
}

const row = /^\| `([^`]+)` *\| (.+?) *\| (.+?) *\|$/gm;

/** Reads rows of the form: | `sequence/step` | `path`, `path` | reason |. */
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

/** What is not as the list says: differences that it lacks, and rows for what no longer differs. */
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
