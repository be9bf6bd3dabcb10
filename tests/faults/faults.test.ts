import { expect, it } from "vitest";
import { informerSimulation } from "./schedule/informer-simulation.ts";
import { idleFaults, runSchedules, tableOf } from "./schedule/run-schedules.ts";

it("matches the server after any faults, and gives every handler a legal history", async () => {
  const report = await runSchedules(informerSimulation, { runs: 1_000 });
  console.log(tableOf(report));
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(1_000);
  expect(idleFaults(report)).toEqual([]);
});
