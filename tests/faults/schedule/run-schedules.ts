import fc from "fast-check";

/** Plays schedules that are made up from a seed. */
interface Simulation<Schedule, Name extends string, Bug> {
  readonly schedules: fc.Arbitrary<Schedule>;
  /** What may strike. */
  readonly names: readonly Name[];
  /** The command that plays it. */
  readonly command: string;
  play(schedule: Schedule, bug: Bug | undefined): Promise<Outcome<Name>>;
}

interface Outcome<Name extends string> {
  /** What should not have been, in words. None is a success. */
  readonly problems: readonly string[];
  readonly struck: ReadonlyMap<Name, number>;
}

interface RunOptions<Bug> {
  readonly runs: number;
  /** Default: another one each time. */
  readonly seed?: number | undefined;
  /** Replays one schedule of the seed, as a failure names it. */
  readonly path?: string | undefined;
  /** Makes the bug that is to be found, anew for each schedule. Default: none. */
  readonly plant?: (() => Bug) | undefined;
  /** Look for a smaller schedule that fails, too. Default true. */
  readonly shrink?: boolean | undefined;
}

interface Report<Name extends string> {
  readonly seed: number;
  readonly runs: number;
  readonly struck: ReadonlyMap<Name, number>;
  /** What failed first, as text with the command that replays it. */
  readonly failure: string | undefined;
}

/** Plays as many schedules as asked for, or until one fails. */
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

/** How often each fault struck, as lines of text. */
export function tableOf({ seed, runs, struck }: Report<string>): string {
  const rows = [...struck].map(([name, count]) => `${name.padEnd(26)} ${String(count).padStart(7)}`);
  return [`${runs} schedules of seed ${seed}; struck:`, ...rows].join("\n");
}

/** The faults that never struck. */
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
