import fc from "fast-check";
import { expect, it } from "vitest";
import { lostDelete } from "./planted-bugs.ts";
import { informerSimulation } from "./schedule/informer-simulation.ts";
import { runSchedule } from "./schedule/run-schedule.ts";
import { runSchedules } from "./schedule/run-schedules.ts";
import { schedules } from "./schedule/schedule.ts";

it("plays a schedule in the same way each time", async () => {
  for (const schedule of fc.sample(schedules, { numRuns: 20, seed: 7 })) {
    const first = await runSchedule(schedule);
    expect(await runSchedule(schedule)).toEqual(first);
  }
});

it("prints a command that replays a failure, and replays it", async () => {
  const { failure = "" } = await runSchedules(informerSimulation, { runs: 1_000, seed: 5, plant: lostDelete });
  const [, seed, path] = /npm run test:faults -- --seed (\d+) --path ([\d:]+)/.exec(failure) ?? [];
  const again = await runSchedules(informerSimulation, { runs: 1_000, seed: Number(seed), path, plant: lostDelete });
  expect(again.failure).toContain(failure.split("\n")[1]);
  expect(again.runs).toBe(1);
});
