import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Finding } from "../site/finding.ts";
import { type ConsoleBlock, consoleBlocks } from "./blocks.ts";
import { runPage } from "./run-page.ts";
import { Scratch } from "./scratch.ts";

const documents = [
  "README.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "apps/*/README.md",
  "examples/*/README.md",
  "bench/README.md",
];

/** Decisions show what was meant when they were taken. */
const ofDecisions = /^docs\/adr\//;

/** The blocks of all pages, and which of them are run here. */
export interface Consoles {
  readonly pages: readonly (readonly ConsoleBlock[])[];
  /** Lines to print about those that are not. */
  readonly notRun: readonly string[];
  readonly skipped: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Reads the console blocks under a root, and which can be run.
 *
 * @param has whether there is a program of that name on this machine
 */
export function consolesOf(from: string, has: (program: string) => boolean): Consoles {
  const findings: Finding[] = [];
  const read = globSync(documents, { cwd: from })
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .map((file) => {
      const found = consoleBlocks(file, readFileSync(join(from, file), "utf8"));
      findings.push(...found.findings);
      if (!ofDecisions.test(file)) return found.blocks;
      return found.blocks.map((block) => ({ ...block, notRun: block.notRun ?? "a decision, which only sketches" }));
    });
  const shown = read.flat().filter(({ isHidden, notRun }) => !isHidden && notRun !== undefined);
  const pages: (readonly ConsoleBlock[])[] = [];
  const skipped: string[] = [];
  for (const blocks of read) {
    const toRun = blocks.filter(({ notRun }) => notRun === undefined);
    const missing = neededBy(toRun).find((program) => !has(program));
    if (!toRun.some(({ isHidden }) => !isHidden)) continue;
    if (missing === undefined) pages.push(toRun);
    else skipped.push(`skipped: ${toRun[0]?.file}: needs ${missing}, and there is none on PATH`);
  }
  return {
    pages,
    notRun: shown.map(({ file, line, notRun }) => `not run: ${file}:${line}: ${notRun}`),
    skipped,
    findings,
  };
}

function neededBy(blocks: readonly ConsoleBlock[]): readonly string[] {
  const commands = blocks.flatMap((block) => block.commands.map(({ text }) => text));
  const named = ["kubectl", "curl", "openssl", "git"].filter((name) =>
    commands.some((text) => new RegExp(`(?:^|[\\s;&|(])${name}(?=\\s|$)`).test(text)),
  );
  return ["bash", ...named];
}

/** Whether a folder of `PATH` has a program. */
export const isOnPath = (program: string): boolean =>
  globSync((process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, `${program}{,.exe}`))).length > 0;

/** Runs the pages one after the other, each in a folder and on a control plane of its own, and prints what was and was not run. */
export async function runConsoles(consoles: Consoles, out: (line: string) => void): Promise<readonly Finding[]> {
  const { pages, notRun, skipped } = consoles;
  for (const line of [...notRun, ...skipped]) out(line);
  const findings: Finding[] = [];
  const compiled = mkdtempSync(join(tmpdir(), "kubewright-compiled-"));
  try {
    for (const blocks of pages) {
      await using scratch = await Scratch.make(compiled);
      findings.push(...(await runPage(blocks, scratch)));
    }
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  const count = pages.flat().filter(({ isHidden }) => !isHidden).length;
  out(
    `console: ${count} blocks of ${pages.length} pages run and compared, ${notRun.length} not run, ${skipped.length} pages skipped`,
  );
  return findings;
}
