import fc from "fast-check";

/** Plays schedules generated from a seed. */
interface Simulation<Schedule, Name extends string, Bug> {
  readonly schedules: fc.Arbitrary<Schedule>;
  /** Names of the faults. */
  readonly names: readonly Name[];
  /** The command that plays it. */
  readonly command: string;
  play(schedule: Schedule, bug: Bug | undefined): Promise<Outcome<Name>>;
}

interface Outcome<Name extends string> {
  /** Violations, as texts. Empty for a success. */
  readonly problems: readonly string[];
  readonly struck: ReadonlyMap<Name, number>;
}

interface RunOptions<Bug> {
  readonly runs: number;
  /** Default: a different one each time. */
  readonly seed?: number | undefined;
  /** Replays one schedule of the seed, given by the path in a failure message. */
  readonly path?: string | undefined;
  /** Creates the planted bug, anew for each schedule. Default: none. */
  readonly plant?: (() => Bug) | undefined;
  /** True to search for a smaller failing schedule. Default true. */
  readonly shrink?: boolean | undefined;
}

interface Report<Name extends string> {
  readonly seed: number;
  readonly runs: number;
  readonly struck: ReadonlyMap<Name, number>;
  /** The first failure, with the command to replay it. */
  readonly failure: string | undefined;
}

/** Plays the requested number of schedules, or until one fails. */
export async function runSchedules<Schedule, Name extends string, Bug>(
  simulation: Simulation<Schedule, Name, Bug>,
  options: RunOptions<Bug>,
): Promise<Report<Name>> {
  const { runs, path, plant, shrink = true, seed = Math.floor(Math.random() * 0x7fff_ffff) } = options;
  const struck = new Map<Name, number>(simulation.names.map((name) => [name, 0]));
  const property = fc.asyncProperty(simulation.schedules, async (schedule) => {
    const outcome = await simulation.play(schedule, plant?.());
    for (const [name, count] of outcome.struck) struck.set(name, (struck.get(name) ?? 0) + count);
    if (outcome.problems.length > 0) throw new Error(outcome.problems.join("\n"));
  });
  const details = await fc.check(property, { numRuns: runs, seed, ...(path ? { path } : {}), endOnFailure: !shrink });
  const failure = details.failed ? failureText(simulation.command, details) : undefined;
  return { seed, runs: details.numRuns, struck, failure };
}

/** Returns a table of the faults that occurred. */
export function tableOf({ seed, runs, struck }: Report<string>): string {
  const rows = [...struck].map(([name, count]) => `${name.padEnd(26)} ${String(count).padStart(7)}`);
  return [`${runs} schedules of seed ${seed}; occurrences:`, ...rows].join("\n");
}

/** Returns the faults that never occurred. */
export const idleFaults = ({ struck }: Report<string>): string[] =>
  [...struck].filter(([, count]) => count === 0).map(([name]) => name);

function failureText<Schedule>(command: string, details: fc.RunDetailsCommon<[Schedule]>): string {
  const { seed, counterexamplePath, numRuns, numShrinks, counterexample, errorInstance } = details;
  return [
    `schedule ${numRuns} of seed ${seed} failed (shown after ${numShrinks} simplifications):`,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    `replay it: ${command} --seed ${seed} --path ${counterexamplePath}`,
    fc.stringify(counterexample),
  ].join("\n");
}
