import { setImmediate } from "node:timers/promises";
import type { PlantedBug } from "./planted-bug.ts";
import type { Played } from "./progress.ts";
import { runSchedule } from "./run-schedule.ts";
import { actionNames, scheduleOf } from "./schedule.ts";

export interface PlayOptions {
  readonly seed: number;
  readonly count: number;
  /** Number of the first schedule. Default 0. */
  readonly from?: number;
  /** True to continue after a failure. Default false. */
  readonly goesOn?: boolean;
  readonly bug?: (() => PlantedBug) | undefined;
  /** Same as for one schedule. */
  readonly mostSettleMs?: number | undefined;
  readonly onFailure?: (text: string) => void;
  /** Called after each schedule. */
  readonly onPlayed?: (progress: Played) => void;
  /** No schedule begins after it aborted. */
  readonly signal?: AbortSignal;
}

export interface ChaosReport {
  readonly seed: number;
  /** Number of requested schedules. */
  readonly count: number;
  readonly played: number;
  readonly failures: number;
  /** The first failure, with the command to replay it. */
  readonly failure: string | undefined;
  /** Number of times each action happened. */
  readonly happened: ReadonlyMap<string, number>;
  readonly longestSettleMs: number;
  readonly mostCnfCalls: number;
  readonly mostApiCalls: number;
}

/** Plays the requested number of schedules, or until one fails. */
export async function playSchedules(options: PlayOptions): Promise<ChaosReport> {
  const { seed, count, from = 0, goesOn = false, bug, mostSettleMs, onFailure, onPlayed, signal } = options;
  const happened = new Map(actionNames.map((name) => [name, 0]));
  const [settles, cnfCalls, apiCalls]: number[][] = [[0], [0], [0]];
  let failures = 0;
  let failure: string | undefined;
  let played = 0;
  for (let number = from; number < from + count && (goesOn || failures === 0); number++) {
    // The virtual clock never yields to the real event loop, which is needed for signals of the system.
    await setImmediate();
    if (signal?.aborted) break;
    const outcome = await runSchedule(scheduleOf(seed, number), { bug, mostSettleMs });
    played++;
    for (const [name, times] of outcome.happened) happened.set(name, (happened.get(name) ?? 0) + times);
    settles?.push(outcome.settledMs);
    cnfCalls?.push(outcome.mostCnfCalls);
    apiCalls?.push(outcome.mostApiCalls);
    if (outcome.problems.length > 0) {
      failures++;
      const text = failureText(seed, number, outcome.problems);
      failure ??= text;
      onFailure?.(text);
    }
    onPlayed?.({ played, failures });
  }
  const [longestSettleMs = 0, mostCnfCalls = 0, mostApiCalls = 0] = [settles, cnfCalls, apiCalls].map((all) =>
    Math.max(...(all ?? [0])),
  );
  return { seed, count, played, failures, failure, happened, longestSettleMs, mostCnfCalls, mostApiCalls };
}

function failureText(seed: number, number: number, problems: readonly string[]): string {
  const shown = problems.slice(0, 8).map((problem) => problem.slice(0, 1_500));
  const more = problems.length > shown.length ? [`and ${problems.length - shown.length} more`] : [];
  const replay = `replay it: npm run test:chaos -- --seed ${seed} --schedule ${number}`;
  return [`schedule ${number} of seed ${seed} failed:`, ...shown, ...more, replay].join("\n");
}

/** Returns the table of actions as text. */
export function chaosTable(report: ChaosReport): string {
  const { seed, count, failures } = report;
  const played = report.played < count ? `${report.played} of ${count}` : report.played;
  const rows = [...report.happened].map(([name, count]) => `${name.padEnd(22)} ${String(count).padStart(7)}`);
  return [
    `${played} schedules of seed ${seed}, ${failures} failed; what happened:`,
    ...rows,
    `settled after at most ${report.longestSettleMs / 1_000} s; at most ${report.mostCnfCalls} calls of CNFs within a minute, ${report.mostApiCalls} of the API server`,
  ].join("\n");
}
