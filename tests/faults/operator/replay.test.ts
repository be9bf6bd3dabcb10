import { expect, it } from "vitest";
import { skippedRemoval } from "./planted-bug.ts";
import { playSchedules } from "./play-schedules.ts";
import { runSchedule } from "./run-schedule.ts";
import { scheduleOf } from "./schedule.ts";

const mostSettleMs = 420_000;

async function traced(seed: number, number: number): Promise<readonly string[]> {
  const lines: string[] = [];
  await runSchedule(scheduleOf(seed, number), { trace: (line) => lines.push(line) });
  return lines;
}

it("plays a schedule in the same way each time", async () => {
  const first = await traced(7, 3);
  expect(first.length).toBeGreaterThan(10);
  expect(await traced(7, 3)).toEqual(first);
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
