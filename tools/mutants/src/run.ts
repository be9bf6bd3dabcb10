import { spawnSync } from "node:child_process";
import { type Equivalent, excuseOf } from "./equivalent.ts";
import { Examination, type Verdict } from "./examination.ts";
import { chooseMutants, type Source, sitesOf } from "./mutants.ts";
import type { Options } from "./options.ts";
import type { Report } from "./report.ts";
import { readSources, sourcesOfLastCommit } from "./sources.ts";

/** Most of what may be called equivalent, of all mutants that the sources give. */
const excusableShare = 0.05;

export interface RunInput {
  readonly root: string;
  readonly options: Options;
  readonly equivalents: readonly Equivalent[];
  readonly onVerdict?: (verdict: Verdict) => void;
  /** How long tests have to miss their usual time before they are said never to end (10 s). */
  readonly atLeastMs?: number;
  /** Where what tests reach is kept for the next run; nowhere without it. */
  readonly recordsFolder?: string;
}

/**
 * Chooses mutants, tries them and says what came of each.
 *
 * @throws {RedError} if all tests fail without a mutant
 * @throws {RangeError} if no source is selected, or more are called equivalent than may be
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

/** The entries that nothing answers to. */
function checkEquivalents(sources: readonly Source[], equivalents: readonly Equivalent[]): readonly Equivalent[] {
  const listed = new Set(equivalents.map(({ path }) => path));
  const here = sources.filter(({ path }) => listed.has(path));
  const mutants = here.flatMap(sitesOf).flat();
  const excused = mutants.filter((mutant) => excuseOf(mutant, equivalents)).length;
  const all = sources.reduce((sum, source) => sum + sitesOf(source).flat().length, 0);
  if (excused > excusableShare * all)
    throw new RangeError(`${excused} of ${all} mutants are called equivalent, more than ${excusableShare * 100} %`);
  const answered = new Set(mutants.map((mutant) => excuseOf(mutant, equivalents)));
  return equivalents.filter((one) => here.some(({ path }) => path === one.path) && !answered.has(one));
}

function headOf(root: string): string {
  const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" });
  return git.status === 0 ? git.stdout.trim() : "1";
}
