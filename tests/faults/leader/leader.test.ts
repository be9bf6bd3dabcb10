import { expect, it } from "vitest";
import { idleFaults, runSchedules, tableOf } from "../schedule/run-schedules.ts";
import { leaderSimulation } from "./leader-simulation.ts";
import { asksOnce, deadlineAfterAttempt, tenureFromAnswer, twoBudgets, wallTenure } from "./planted-bugs.ts";

it("has one leader at most at any instant, and one at last, whatever happens", async () => {
  const report = await runSchedules(leaderSimulation, { runs: 1_000 });
  console.log(tableOf(report));
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(1_000);
  expect(idleFaults(report)).toEqual([]);
});

it.each([
  {
    name: "a deadline that is looked at after an attempt",
    plant: deadlineAfterAttempt,
    sign: /not told to stop|run at once/,
  },
  { name: "two budgets", plant: twoBudgets, sign: /not told to stop|run at once/ },
  { name: "a tenure counted on the wall clock", plant: wallTenure, sign: /./ },
  { name: "a tenure counted from the answer", plant: tenureFromAnswer, sign: /not told to stop|run at once|a write/ },
  { name: "a fence that is asked once", plant: asksOnce, sign: /sends a write/ },
])("finds $name within 1,000 schedules", async ({ name, plant, sign }) => {
  const { failure, runs, seed } = await runSchedules(leaderSimulation, { runs: 1_000, plant, shrink: false });
  console.log(`${name} was found by schedule ${runs} of seed ${seed}`);
  expect(failure).toMatch(sign);
});
