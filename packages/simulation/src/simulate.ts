import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { url as inspectorUrl } from "node:inspector";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Permission } from "@kubewright/apimachinery";
import { readManifests } from "@kubewright/client/apply";
import { systemRandom } from "@kubewright/clock";
import { parseObserved } from "@kubewright/rbac";
import type { RunOptions, run as runType } from "./engine.ts";
import { isData, runInWorkers } from "./engine-worker.ts";
import { inThisThread, loadNatively } from "./program/load-natively.ts";
import type { UserKind } from "./users/user-kind.ts";
import { inactiveText, type SimulationOptions } from "./world/simulation-options.ts";

/** Result of a simulation. */
export interface SimulationReport {
  readonly seed: number;
  /** Number of schedules that were run. */
  readonly played: number;
  /** Story of the first failure; undefined if there was none. */
  readonly failure: string | undefined;
  /** Number of properties that users changed, and of all properties. */
  readonly coverage: { readonly changed: number; readonly all: number; readonly missing: readonly string[] };
  /**
   * Number of writes by reconciles at which the program was killed, and number of all writes that the program sent.
   * Each write counts twice: `before write 2 of site` and `after write 2 of site`.
   */
  readonly kills: { readonly tested: number; readonly all: number; readonly missing: readonly string[] };
}

/** Thrown if a check fails in a schedule. The message describes the schedule's events. */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}

/** Reports whether an error is a {@link SimulationError}, including one from another copy of this package. */
export const isSimulationError = (error: unknown): error is SimulationError =>
  error instanceof Error && error.name === "SimulationError";

/**
 * Runs a program in a simulated cluster with a virtual clock. Injects faults according to schedules, and checks
 * properties that every controller must have. The same seed always gives the same run.
 *
 * @param program URL of the program's module, which exports `setup(manager)` (and optionally `options`) or
 *   `main(options, signal)`. Each process of the program loads its own copy of the module
 * @throws {SimulationError} with the events of the first schedule that fails
 * @throws {Error} if a file listed in `crds` or the file with recorded permissions cannot be read
 */
export async function simulate(program: URL, options: SimulationOptions): Promise<SimulationReport> {
  const { print = (line: string): void => console.log(line) } = options;
  // `7` repeats a run, and `7/3` one of its schedules.
  const [, given, only] = /^(\d{1,9})(?:\/(\d{1,9}))?$/.exec(process.env.KUBEWRIGHT_SEED ?? "") ?? [];
  const seed = given === undefined ? (options.seed ?? systemRandom.integer(1e9)) : Number(given);
  const [, count] = /^(\d{1,6})$/.exec(process.env.KUBEWRIGHT_SCHEDULES ?? "") ?? [];
  const schedules = count === undefined ? (options.schedules ?? 20) : Number(count);
  const crds = (await Promise.all((options.crds ?? []).map(crdsOf))).flat();
  const { print: _, ...others } = options;
  const range: RunOptions = {
    ...others,
    kinds: options.kinds.map(plainKind),
    crds,
    observed: options.role === "generated" ? observedOf(program) : [],
    // Tests that record permissions need all of them.
    ...(process.env.KUBEWRIGHT_RBAC === "record" ? { role: undefined } : {}),
    ...(only === undefined ? { schedules } : { from: Number(only), schedules: 1 }),
  };
  print(`simulating ${range.schedules} schedules of seed ${seed}`);
  // Functions cannot be passed to another thread, and a debugger is attached to this one.
  const isHere = !isData(range) || inspectorUrl() !== undefined;
  const found = await (isHere ? runHere : runInWorkers)(program, range, seed);
  const { played, properties, changed, writes, killedAt } = found;
  const isWhole = only === undefined && range.without?.active === undefined && !range.world?.length;
  const failure = found.failure ?? (isWhole && writes.size === 0 ? `✗ ${inactiveText(played)}` : undefined);
  const missing = properties.filter((each) => !changed.has(each));
  const coverage = { changed: properties.length - missing.length, all: properties.length, missing };
  const untested = [...writes].filter((each) => !killedAt.has(each)).sort();
  const kills = { tested: writes.size - untested.length, all: writes.size, missing: untested };
  print(
    `${played} schedules played; users changed ${coverage.changed} of ${coverage.all} properties${listed(missing)}; the program was killed at ${kills.tested} of ${kills.all} places${listed(untested)}`,
  );
  if (failure !== undefined) throw new SimulationError(failure + saved(program, found.recording, failure));
  return { seed, played, failure, coverage, kills };
}

const maxListed = 5;

/** Names what is missing, as the end of a line. */
function listed(missing: readonly string[]): string {
  if (missing.length === 0) return "";
  return `, not ${missing.slice(0, maxListed).join(", ")}${missing.length > maxListed ? ", …" : ""}`;
}

/** Returns a kind without its methods. */
const plainKind = ({ group, version, kind, plural, scope, crd }: UserKind): UserKind => ({
  ...{ group, version, kind, plural, scope },
  ...(crd ? { crd } : {}),
});

/**
 * Saves the recorded reconciles of a failing schedule in the program's project, for this user only. Returns a line for the story.
 *
 * @param failure the story, whose last line names the seed and the schedule
 */
function saved(program: URL, recording: Uint8Array | undefined, failure: string): string {
  const [, seed, number] = /KUBEWRIGHT_SEED=(\d+)\/(\d+) /.exec(failure) ?? [];
  if (!recording || seed === undefined || !program.protocol.startsWith("file:")) return "";
  const folder = join(projectOf(program) ?? dirname(fileURLToPath(program)), ".kubewright/simulations");
  const file = join(folder, `${seed}-${number}.kwr`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, recording, { mode: 0o600 });
  } catch (error) {
    return `\nits reconciles are not recorded: ${error instanceof Error ? error.message : String(error)}`;
  }
  return `\nreplay its reconciles: npx kubewright replay ${relative(process.cwd(), file)} --inspect`;
}

/** Returns the folder of the project that contains a program, or undefined if there is none. */
function projectOf(program: URL): string | undefined {
  for (let folder = dirname(fileURLToPath(program)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "kubewright.json"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Runs the schedules in this thread. */
async function runHere(...args: Parameters<typeof runType>): ReturnType<typeof runType> {
  const run = await loadNatively<typeof runType>(import.meta.url, "engine", "run");
  return inThisThread(() => run(...args));
}

/** Returns the permissions that tests of the program's project recorded. @throws {Error} if the file is not valid */
function observedOf(program: URL): readonly Permission[] {
  for (let folder = dirname(fileURLToPath(program)); ; folder = dirname(folder)) {
    const file = join(folder, "config/rbac/observed.json");
    if (existsSync(file)) return parseObserved(readFileSync(file, "utf8"), file);
    if (existsSync(join(folder, "kubewright.json")) || dirname(folder) === folder) return [];
  }
}

/** Returns the CRDs of an option. @throws {Error} if a file cannot be read or is not a manifest */
async function crdsOf(source: object | URL): Promise<readonly object[]> {
  if (!(source instanceof URL)) return [source];
  const path = fileURLToPath(source);
  if (!existsSync(path)) return [];
  const { manifests, unreadable } = await readManifests({ files: [path] });
  for (const { source: file, error } of unreadable) throw new Error(`crds: cannot read ${file}`, { cause: error });
  return manifests.flatMap(({ object }) => (object.kind === "CustomResourceDefinition" ? [object] : []));
}
