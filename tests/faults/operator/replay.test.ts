import { expect, it } from "vitest";
import { skippedRemoval } from "./planted-bug.ts";
import { playSchedules } from "./play-schedules.ts";
import { runSchedule } from "./run-schedule.ts";
import { scheduleOf } from "./schedule.ts";

const mostSettleMs = 420_000;

/** Parts of log lines that differ: the real time, and the stack, which contains the caller of this file. */
const differing = /"(time|stack)":"(\\.|[^"\\])*"/g;

/** Returns all steps, log lines, writes and requests to CNFs. */
async function traced(seed: number, number: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const trace = (line: string): void => void lines.push(line.replace(differing, ""));
  await runSchedule(scheduleOf(seed, number), { trace, look: "" });
  return lines;
}

it("plays a schedule in the same way each time, byte for byte", async () => {
  const first = await traced(7, 3);
  expect(first.length).toBeGreaterThan(1_000);
  const second = await traced(7, 3);
  const at = first.findIndex((line, index) => line !== second[index]);
  expect(second[at]).toBe(first[at]); // names the first difference
  expect(second).toHaveLength(first.length);
});

it("prints a command that replays a failure", async () => {
  const { failure = "" } = await playSchedules({ seed: 7, count: 60, bug: skippedRemoval, mostSettleMs });
  const [, seed, schedule] = /npm run test:chaos -- --seed (\d+) --schedule (\d+)/.exec(failure) ?? [];
  const { problems } = await runSchedule(scheduleOf(Number(seed), Number(schedule)), {
    bug: skippedRemoval,
    mostSettleMs,
  });
  expect(failure).toContain(problems[0]?.slice(0, 200));
});
