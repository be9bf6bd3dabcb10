import { expect, it } from "vitest";
import { idleFaults, runSchedules, tableOf } from "../schedule/run-schedules.ts";
import { certificateSimulation } from "./certificate-simulation.ts";
import { appliesBlindly, neverStale, switchesAtOnce } from "./planted-bugs.ts";
import { runSchedule } from "./run-schedule.ts";
import type { Schedule } from "./schedule.ts";

it("serves only certificates that API servers trust, whatever happens during a rotation", async () => {
  const report = await runSchedules(certificateSimulation, { runs: 100 });
  console.log(tableOf(report));
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(100);
  for (const phase of ["announced", "injected", "switched", "retired"]) expect(idleFaults(report)).not.toContain(phase);
});

it.each([
  { name: "a switch that does not wait", plant: switchesAtOnce },
  { name: "a replica that is ready with outdated data", plant: neverStale },
])("finds $name", async ({ name, plant }) => {
  const { failure, runs } = await runSchedules(certificateSimulation, { runs: 1_000, seed: 1, plant, shrink: false });
  console.log(`${name} was found by schedule ${runs}`);
  expect(failure).toMatch(/does not trust/);
});

it("finds a bundle that overwrites a newer one, in a write that arrives after another rotation", async () => {
  const minuteMs = 60_000;
  const schedule: Schedule = {
    replicas: [1, 1],
    servers: [0],
    random: 2,
    steps: [
      { do: "wait", ms: 67 * minuteMs },
      { do: "write", who: 1, fault: "late", ms: 50 * minuteMs },
      { do: "wait", ms: 90 * minuteMs },
    ],
  };
  expect((await runSchedule(schedule)).problems).toEqual([]);
  expect((await runSchedule(schedule, appliesBlindly())).problems.join()).toMatch(/does not trust/);
});
