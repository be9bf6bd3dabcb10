import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
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

/**
 * Matches the paths of decision records. Their blocks are not run, because they show what was planned when the
 * records were written.
 */
const ofDecisions = /^docs\/adr\//;

/** Console blocks of all pages, divided into those that are run on this machine and those that are not. */
export interface Consoles {
  readonly pages: readonly (readonly ConsoleBlock[])[];
  /** Lines to print about the blocks that are not run. */
  readonly notRun: readonly string[];
  readonly skipped: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Reads the console blocks below a root and decides which can be run.
 *
 * @param has returns true if this machine has a program of that name
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
      return found.blocks.map((block) => ({
        ...block,
        notRun: block.notRun ?? "examples in a decision record are sketches",
      }));
    });
  const shown = read.flat().filter(({ isHidden, notRun }) => !isHidden && notRun !== undefined);
  const pages: (readonly ConsoleBlock[])[] = [];
  const skipped: string[] = [];
  for (const blocks of read) {
    const toRun = blocks.filter(({ notRun }) => notRun === undefined);
    const missing = neededBy(toRun).find((program) => !has(program));
    if (!toRun.some(({ isHidden }) => !isHidden)) continue;
    if (missing === undefined) pages.push(toRun);
    else skipped.push(`skipped: ${toRun[0]?.file}: needs ${missing}, which is not on PATH`);
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

/** Reports whether a folder in `PATH` contains the program. */
export const isOnPath = (program: string): boolean =>
  globSync((process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, `${program}{,.exe}`))).length > 0;

/**
 * Runs the pages, each in its own folder with its own control plane, and prints which blocks were run and which were not. Runs several at
 * the same time, because each mostly waits for its programs.
 */
export async function runConsoles(consoles: Consoles, out: (line: string) => void): Promise<readonly Finding[]> {
  const { pages, notRun, skipped } = consoles;
  for (const line of [...notRun, ...skipped]) out(line);
  const findings: (readonly Finding[])[] = [];
  const compiled = mkdtempSync(join(tmpdir(), "kubewright-compiled-"));
  const rest = pages.entries();
  const runner = async (): Promise<void> => {
    for (const [at, blocks] of rest) {
      await using scratch = await Scratch.make(compiled);
      findings[at] = await runPage(blocks, scratch);
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, runner));
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  const count = pages.flat().filter(({ isHidden }) => !isHidden).length;
  out(
    `console: ${count} blocks of ${pages.length} pages run and compared, ${notRun.length} not run, ${skipped.length} pages skipped`,
  );
  return findings.flat();
}
