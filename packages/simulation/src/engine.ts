import type { Permission } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { FlightRecorder } from "@kubewright/replay";
import { AuthorModules } from "./program/author-modules.ts";
import { importNatively } from "./program/native-import.ts";
import { type Outcome, runSchedule } from "./run/run-schedule.ts";
import type { Simulation } from "./run/world.ts";
import { type Step, scheduleOf } from "./schedule/schedule.ts";
import { replaceGlobals } from "./time/replace-globals.ts";
import { pathText, propertiesOf } from "./users/properties.ts";
import type { SimulationOptions } from "./world/simulation-options.ts";

/** Result of running a subset of the schedules. */
export interface Findings {
  /** Number of schedules that were run. */
  readonly played: number;
  /** Story of the first failure; undefined if no schedule failed. */
  readonly failure: string | undefined;
  /** Reconciles of the failing schedule, as the contents of a file; undefined if there are none, or the story is not shortened. */
  readonly recording: Uint8Array | undefined;
  /** Properties that users can change, as `Kind spec.path`, and the properties that they did change. */
  readonly properties: readonly string[];
  readonly changed: ReadonlySet<string>;
  /** Writes by reconciles, such as `before write 2 of site`, and the writes at which the program was killed. */
  readonly writes: ReadonlySet<string>;
  readonly killedAt: ReadonlySet<string>;
}

/** Maximum number of schedules to run while shortening a failing schedule. */
const maxShrinks = 40;

/** Options for a run. */
export interface RunOptions extends SimulationOptions {
  /** Permissions recorded by the program's tests. */
  readonly observed: readonly Permission[];
}

/**
 * Runs schedules in this thread until one fails.
 *
 * @param isWarm true if the thread has already run schedules. If false, the first schedule is run twice, and both runs
 * must be identical
 */
export async function run(program: URL, options: RunOptions, seed: number, { isWarm = false } = {}): Promise<Findings> {
  const { schedules = 20, from = 0, constant = {}, withoutFaults } = options;
  const properties = new Map(
    options.kinds.map((kind) => {
      const all = propertiesOf(kind);
      return [kind.kind, all.filter((each) => !constant[kind.kind]?.includes(pathText(each)))] as const;
    }),
  );
  const restore = replaceGlobals();
  const modules = new AuthorModules(program, { importNatively });
  const simulation: Simulation = {
    options,
    modules,
    properties,
    observed: options.observed,
    covered: new Set(),
    writes: new Set(),
    killedAt: new Set(),
  };
  let played = 0;
  let failure: string | undefined;
  const recorder = options.shorten === false ? undefined : new FlightRecorder({ name: "simulation" });
  try {
    for (let number = from; number < from + schedules && failure === undefined; number++) {
      const steps = scheduleOf(seed, number, withoutFaults);
      const id = `${seed}/${number}`;
      let outcome = await runSchedule(simulation, id, steps);
      played++;
      if ((isWarm || number > from) && outcome.problems.length === 0) continue;
      // Modules that are loaded when they are first used take real time, so only a schedule that was played before repeats exactly.
      outcome = await runSchedule(simulation, id, steps);
      failure = divergence(outcome, await runSchedule(simulation, id, steps), id);
      if (outcome.problems.length > 0) failure ??= await told(simulation, id, seed, number, steps, outcome, recorder);
    }
  } finally {
    modules.close();
    restore();
  }
  const all = [...properties].flatMap(([kind, each]) => each.map((property) => `${kind} ${pathText(property)}`));
  const { covered: changed, writes, killedAt } = simulation;
  const recording = recorder?.recorded.length ? recorder.dump(systemClock.now()) : undefined;
  return { played, failure, recording, properties: all, changed, writes, killedAt };
}

/** Compares two runs of the same schedule. */
function divergence(first: Outcome, second: Outcome, id: string): string | undefined {
  const at = first.trace.findIndex((line, at) => line !== second.trace[at]);
  if (at < 0 && first.trace.length === second.trace.length) return undefined;
  const place = at < 0 ? first.trace.length : at;
  return [
    `schedule ${id} is not deterministic: two runs differ in line ${place + 1} of their traces`,
    `first run:  ${first.trace[place] ?? "(ends)"}`,
    `second run: ${second.trace[place] ?? "(ends)"}`,
    "the program, or a library that it uses, has state or a source of randomness that the simulation does not control",
  ].join("\n");
}

/** Shortens a failing schedule, and returns its story. Its reconciles are recorded, unless it is not shortened. */
async function told(
  simulation: Simulation,
  id: string,
  seed: number,
  number: number,
  steps: readonly Step[],
  outcome: Outcome,
  recorder: FlightRecorder | undefined,
): Promise<string> {
  let [shortest, story] = [steps, outcome];
  const check = checkOf(outcome);
  let left = simulation.options.shorten === false ? 0 : maxShrinks;
  for (let size = Math.max(1, shortest.length >> 1); size >= 1 && left > 0; size = size === 1 ? 0 : size >> 1)
    for (let at = 0; at < shortest.length && left > 0; ) {
      const shorter = [...shortest.slice(0, at), ...shortest.slice(at + size)];
      left--;
      const tried = await runSchedule(simulation, id, shorter);
      if (checkOf(tried) === check) [shortest, story] = [shorter, tried];
      else at += size;
    }
  if (recorder) await runSchedule(simulation, id, shortest, recorder);
  const rerun = `KUBEWRIGHT_SEED=${seed}/${number} npm test`;
  return [
    `schedule ${number} of seed ${seed} fails${shortest.length < steps.length ? ` (shortened from ${steps.length} steps to ${shortest.length})` : ""}:`,
    story.story.text(),
    ...story.problems.map((problem) => `✗ ${problem}`),
    `repeat it: ${rerun}`,
  ].join("\n");
}

/** Returns the first check that a schedule violates. */
const checkOf = ({ problems }: Outcome): string | undefined => problems[0]?.split(":")[0];
