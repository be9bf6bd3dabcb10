import { systemClock } from "@kubewright/clock";
import { type Step, scheduleOf } from "../schedule/schedule.ts";
import { pathText, propertiesOf } from "../users/properties.ts";
import type { UserValues } from "../users/user-objects.ts";
import type { Remembers } from "../world/normalise.ts";
import { type CheckName, inactiveText } from "../world/simulation-options.ts";
import { foreignSteps } from "./foreign-steps.ts";
import type { ForeignProgram } from "./foreign-world.ts";
import { type ForeignOutcome, type ForeignSimulation, runForeignSchedule } from "./run-foreign-schedule.ts";

/** Options for {@link simulateProgram}. */
export interface ProgramSimulationOptions extends ForeignProgram {
  /** Number of schedules. Default 20. */
  readonly schedules?: number | undefined;
  /** Number of the first schedule. Default 0. */
  readonly from?: number | undefined;
  readonly seed: number;
  /** Values for the objects that users create, keyed by kind. Default: samples of the kinds' schemas. */
  readonly users?: Readonly<Record<string, UserValues>> | undefined;
  /** State that may depend on the past, as in the options for `simulate`. Default: none. */
  readonly remembers?: Remembers | undefined;
  /** Checks that do not apply, with the reason for each. Default: all checks apply. */
  readonly without?: Partial<Readonly<Record<CheckName, string>>> | undefined;
  /** Maximum time for the program to reach an expected state, in milliseconds. Default 20,000. */
  readonly patienceMs?: number | undefined;
  /** Signal that stops the simulation and all processes that it started. */
  readonly signal: AbortSignal;
  /** Receives a line of text after each schedule. Default: no output. */
  readonly print?: ((line: string) => void) | undefined;
}

/** Result of simulating a program. */
export interface ProgramSimulationReport {
  readonly seed: number;
  /** Number of schedules that were run. */
  readonly played: number;
  /** The first failure; undefined for a success. */
  readonly failure?:
    | {
        /** Number of the schedule. */
        readonly schedule: number;
        /** Violations, each starting with the name of its check. */
        readonly problems: readonly string[];
        /** The events of the schedule, in at most 30 lines. */
        readonly story: string;
        /** Last lines of the program's output. */
        readonly output: readonly string[];
      }
    | undefined;
  /** Number of properties that users changed, and of all properties. */
  readonly coverage: { readonly changed: number; readonly all: number; readonly missing: readonly string[] };
}

/** Limits for shortening a failing schedule. */
const [maxShrinks, maxShrinkingMs] = [8, 120_000] as const;
/**
 * Maximum time to wait for an expected state while shortening, in milliseconds. It is shorter because the failure is
 * already known.
 */
const shrinkingPatienceMs = 8_000;

/**
 * Runs a program, in any language, against an API server in this process. Injects faults according to schedules, and
 * checks properties that every controller must have. The program runs in real time, so a schedule takes about ten
 * seconds, and runs with the same seed may differ.
 *
 * @throws {ProgramStartError} if the program does not start, or does not use its kubeconfig
 * @throws the signal's reason if it aborts
 */
export async function simulateProgram(options: ProgramSimulationOptions): Promise<ProgramSimulationReport> {
  const { kinds, schedules = 20, from = 0, seed, users = {}, remembers = [], without = {}, signal, print } = options;
  const properties = new Map(kinds.map((kind) => [kind.kind, propertiesOf(kind)] as const));
  const covered = new Set<string>();
  const simulation: ForeignSimulation = {
    program: options,
    users: { values: users, properties, covered },
    ...{ remembers, without, signal },
    patienceMs: options.patienceMs ?? 20_000,
  };
  let played = 0;
  let failure: ProgramSimulationReport["failure"];
  let idle: ForeignOutcome | undefined;
  let hasWritten = false;
  for (let number = from; number < from + schedules && !failure; number++) {
    const steps = scheduleOf(seed, number).filter(({ does }) => foreignSteps[does] !== undefined);
    const beganMs = systemClock.monotonic();
    const outcome = await runForeignSchedule(simulation, `${seed}/${number}`, steps);
    played++;
    const seconds = ((systemClock.monotonic() - beganMs) / 1_000).toFixed(1);
    print?.(`schedule ${number}: ${steps.length} steps, ${seconds} s${outcome.problems.length > 0 ? ", fails" : ""}`);
    hasWritten ||= outcome.hasWritten;
    if (outcome.problems.length === 0) {
      idle = outcome;
      continue;
    }
    const shortest = await shortened(simulation, `${seed}/${number}`, steps, outcome, print);
    failure = { schedule: number, ...shortest, story: shortest.story.text() };
  }
  // A single schedule is the repetition of a failure.
  if (!failure && idle && !hasWritten && played > 1 && without.active === undefined)
    failure = { ...idle, schedule: from + played - 1, problems: [inactiveText(played)], story: idle.story.text() };
  const all = [...properties].flatMap(([kind, each]) => each.map((property) => `${kind} ${pathText(property)}`));
  const missing = all.filter((each) => !covered.has(each));
  return { seed, played, failure, coverage: { changed: all.length - missing.length, all: all.length, missing } };
}

/** Removes steps as long as the schedule still violates the same check. */
async function shortened(
  simulation: ForeignSimulation,
  id: string,
  steps: readonly Step[],
  outcome: ForeignOutcome,
  print: ProgramSimulationOptions["print"],
): Promise<ForeignOutcome> {
  const endMs = systemClock.monotonic() + maxShrinkingMs;
  const impatient = { ...simulation, patienceMs: Math.min(simulation.patienceMs, shrinkingPatienceMs) };
  let [shortest, best] = [steps, outcome];
  let left = maxShrinks;
  for (let size = Math.ceil(shortest.length / 2); size >= 1 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 1; at < shortest.length && left > 0; ) {
      if (systemClock.monotonic() > endMs) return best;
      const shorter = [...shortest.slice(0, at), ...shortest.slice(at + size)];
      left--;
      const tried = await runForeignSchedule(impatient, id, shorter);
      const isSame = checkOf(tried) === checkOf(outcome);
      print?.(`  with ${shorter.length} of ${steps.length} steps: ${isSame ? "fails as well" : "does not fail"}`);
      if (isSame) [shortest, best] = [shorter, tried];
      else at += size;
    }
  return best;
}

/** Returns the first check that a schedule violates. */
const checkOf = ({ problems }: ForeignOutcome): string | undefined => problems[0]?.split(":")[0];
