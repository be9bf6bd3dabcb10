import { spawnSync } from "node:child_process";
import { type Equivalent, excuseOf } from "./equivalent.ts";
import { Examination, type Verdict } from "./examination.ts";
import { chooseMutants, type Source, sitesOf } from "./mutants.ts";
import type { Options } from "./options.ts";
import type { Report } from "./report.ts";
import { readSources, sourcesOfLastCommit } from "./sources.ts";

/** Maximum share of mutants that may be listed as equivalent. */
const excusableShare = 0.05;

export interface RunInput {
  readonly root: string;
  readonly options: Options;
  readonly equivalents: readonly Equivalent[];
  readonly onVerdict?: (verdict: Verdict) => void;
  /** Minimum duration, in milliseconds, after which tests time out; default 10,000. */
  readonly atLeastMs?: number;
  /** Folder in which the regions that tests reach are cached for the next run; without it, they are not cached. */
  readonly recordsFolder?: string;
}

/**
 * Chooses mutants, tries them and reports the results.
 *
 * @throws {RedError} if all tests fail without a mutant
 * @throws {RangeError} if no source is selected, or if too many mutants are listed as equivalent
 */
export async function run({ root, options, equivalents, onVerdict, ...rest }: RunInput): Promise<Report> {
  const deadline = performance.now() + options.minutes * 60_000;
  const seed = options.seed ?? (options.ci ? headOf(root) : "1");
  const sources = options.ci ? sourcesOfLastCommit(root, seed) : readSources(root, options.selection);
  if (sources.length === 0) throw new RangeError("no source is selected");
  const stale = checkEquivalents(sources, equivalents);
  const chosen = chooseMutants(sources, seed, options.count).map((mutant) => ({
    mutant,
    excuse: excuseOf(mutant, equivalents),
  }));
  const excused = chosen.flatMap(({ mutant, excuse }) => (excuse ? [{ mutant, reason: excuse.reason }] : []));
  const verdicts: Verdict[] = [];
  const examination = new Examination({
    root,
    allTests: options.allTests,
    nearest: options.nearest,
    atMostMs: options.seconds * 1_000,
    deadline,
    atLeastMs: rest.atLeastMs ?? 10_000,
    recordsFolder: rest.recordsFolder,
  });
  const close = (): void => examination.close();
  process.once("exit", close);
  try {
    const open = chosen.filter(({ excuse }) => !excuse);
    for (const [index, { mutant }] of open.entries()) {
      const verdict = await examination.try(mutant, open.length - index);
      verdicts.push(verdict);
      onVerdict?.(verdict);
    }
  } finally {
    close();
    process.off("exit", close);
  }
  return { seed, verdicts, excused, stale, red: examination.red };
}

/** Returns the entries that match no mutant. */
function checkEquivalents(sources: readonly Source[], equivalents: readonly Equivalent[]): readonly Equivalent[] {
  const listed = new Set(equivalents.map(({ path }) => path));
  const here = sources.filter(({ path }) => listed.has(path));
  const mutants = here.flatMap(sitesOf).flat();
  const excused = mutants.filter((mutant) => excuseOf(mutant, equivalents)).length;
  const all = sources.reduce((sum, source) => sum + sitesOf(source).flat().length, 0);
  if (excused > excusableShare * all)
    throw new RangeError(
      `${excused} of ${all} mutants are listed as equivalent; the limit is ${excusableShare * 100} %`,
    );
  const answered = new Set(mutants.map((mutant) => excuseOf(mutant, equivalents)));
  return equivalents.filter((one) => here.some(({ path }) => path === one.path) && !answered.has(one));
}

function headOf(root: string): string {
  const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" });
  return git.status === 0 ? git.stdout.trim() : "1";
}
