import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Export } from "../reference/exports.ts";
import { referencePages } from "../reference/pages.ts";
import { referenceOf } from "../reference/reference.ts";
import { type Entry, publicEntries, root } from "../workspace.ts";
import { type Finding, linesOf } from "./finding.ts";
import { unknownImports } from "./imports.ts";
import { deadLinks } from "./links.ts";
import { withRegions } from "./regions.ts";

/** All pages and their problems. */
export interface Pages {
  /** All pages, keyed by path from the root, including generated ones. Their regions are filled in. */
  readonly all: ReadonlyMap<string, string>;
  readonly entries: readonly Entry[];
  readonly exported: readonly Export[];
  readonly findings: readonly Finding[];
}

/** Reads the hand-written pages, generates the others from the code, and checks all of them. */
export async function collectPages(): Promise<Pages> {
  const entries = publicEntries();
  const { exported, pages } = await referenceOf(entries);
  const written = writtenPages(root);
  const all = new Map([...written.pages, ...(await referencePages(entries, exported)), ...pages]);
  const findings = [
    ...written.findings,
    ...[...written.pages.keys()].flatMap((file) => [
      ...deadLinks(root, all, file),
      ...(isSketch(file) ? [] : unknownImports(root, file, readFileSync(join(root, file), "utf8"), exported)),
    ]),
  ];
  return { all, entries, exported, findings };
}

/** Returns the pages below `docs` with their regions filled in, and the problems of these regions. */
export function writtenPages(from: string): {
  readonly pages: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const pages = globSync("docs/**/*.md", { cwd: from })
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .map((file) => {
      const source = readFileSync(join(from, file), "utf8");
      const filled = withRegions(from, file, source);
      findings.push(...filled.findings, ...untested(file, source), ...tooWide(file, source, filled.text));
      return [file, filled.text] as const;
    });
  return { pages: new Map(pages), findings };
}

/**
 * Reports whether a page is a decision record. Code in decision records is a sketch of what was planned when they
 * were written.
 */
const isSketch = (file: string): boolean => file.startsWith("docs/adr/");

/**
 * Finds programs on a page that nothing tests: they are neither regions of tested programs nor, as in the guide, fences
 * that `tools/fences` compiles.
 */
function untested(file: string, text: string): readonly Finding[] {
  if (/^docs\/(?:contributing|guide)\//.test(file) || isSketch(file)) return [];
  return linesOf(text).flatMap(({ line }, index) =>
    /^```(?:ts|js|typescript|javascript)\b/.test(line)
      ? [
          {
            file,
            line: index + 1,
            message: "this program is not tested; include a region of a tested one with <<< path#region",
          },
        ]
      : [],
  );
}

/** Number of characters that fit into a code block at 1280 pixels; a tab is as wide as two (`style.css`). */
const columns = 90;

/** Finds lines of code that a desktop screen cuts off. Commands, their output and Dockerfiles wrap. */
function tooWide(file: string, source: string, filled: string): readonly Finding[] {
  const written = source.split("\n");
  let language = "";
  return linesOf(filled).flatMap(({ line, isCode }) => {
    language = /^\s*```+(\w+)/.exec(line)?.[1] ?? language;
    const { length } = line.replaceAll("\t", "  ");
    if (!isCode || length <= columns || /^(?:console|dockerfile|sh|text)$/.test(language)) return [];
    const message = `a line of code has ${length} characters, but ${columns} fit: ${line.trim()}`;
    return [{ file, line: written.indexOf(line) + 1 || 1, message }];
  });
}
