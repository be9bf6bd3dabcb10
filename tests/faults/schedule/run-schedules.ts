import fc from "fast-check";
import { type FaultName, faultNames } from "../server/fault-plan.ts";
import { type PlantedBug, runSchedule } from "./run-schedule.ts";
import { type Schedule, schedules } from "./schedule.ts";

interface RunOptions {
  readonly runs: number;
  /** Default: another one each time. */
  readonly seed?: number | undefined;
  /** Replays one schedule of the seed, as a failure names it. */
  readonly path?: string | undefined;
  /** Makes the bug that is to be found, anew for each schedule. Default: none. */
  readonly plant?: (() => PlantedBug) | undefined;
  /** Look for a smaller schedule that fails, too. Default true. */
  readonly shrink?: boolean | undefined;
}

interface Report {
  readonly seed: number;
  readonly runs: number;
  readonly struck: ReadonlyMap<FaultName, number>;
  /** What failed first, as text with the command that replays it. */
  readonly failure: string | undefined;
}

/** Plays as many schedules as asked for, or until one fails. */
export async function runSchedules(options: RunOptions): Promise<Report> {
  const { runs, path, plant, shrink = true, seed = Math.floor(Math.random() * 0x7fff_ffff) } = options;
  const struck = new Map<FaultName, number>(faultNames.map((name) => [name, 0]));
  const property = fc.asyncProperty(schedules, async (schedule) => {
    const outcome = await runSchedule(schedule, plant?.());
    for (const [name, count] of outcome.struck) struck.set(name, (struck.get(name) ?? 0) + count);
    if (outcome.problems.length > 0) throw new Error(outcome.problems.join("\n"));
  });
  const details = await fc.check(property, { numRuns: runs, seed, ...(path ? { path } : {}), endOnFailure: !shrink });
  return { seed, runs: details.numRuns, struck, failure: details.failed ? failureText(details) : undefined };
}

/** How often each fault struck, as lines of text. */
export function tableOf({ seed, runs, struck }: Report): string {
  const rows = [...struck].map(([name, count]) => `${name.padEnd(26)} ${String(count).padStart(7)}`);
  return [`${runs} schedules of seed ${seed}; struck:`, ...rows].join("\n");
}

/** The faults that never struck. */
export const idleFaults = ({ struck }: Report): FaultName[] => faultNames.filter((name) => !struck.get(name));

function failureText(details: fc.RunDetailsCommon<[Schedule]>): string {
  const { seed, counterexamplePath, numRuns, numShrinks, counterexample, errorInstance } = details;
  return [
    `schedule ${numRuns} of seed ${seed} failed (shown after ${numShrinks} simplifications):`,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    `replay it: npm run test:faults -- --seed ${seed} --path ${counterexamplePath}`,
    fc.stringify(counterexample),
  ].join("\n");
}
