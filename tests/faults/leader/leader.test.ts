import { expect, it } from "vitest";
import { idleFaults, runSchedules, tableOf } from "../schedule/run-schedules.ts";
import { leaderSimulation } from "./leader-simulation.ts";
import { asksOnce, deadlineAfterAttempt, termFromResponse, twoBudgets, wallTerm } from "./planted-bugs.ts";

it("has at most one leader at any time, and one leader at the end", async () => {
  const report = await runSchedules(leaderSimulation, { runs: 1_000 });
  console.log(tableOf(report));
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(1_000);
  expect(idleFaults(report)).toEqual([]);
});

it.each([
  { name: "a deadline checked only after an attempt", plant: deadlineAfterAttempt, seed: 2 },
  { name: "two budgets", plant: twoBudgets, seed: 3 },
  { name: "a term counted on the wall clock", plant: wallTerm, seed: 1 },
  { name: "a term counted from the response", plant: termFromResponse, seed: 9 },
  { name: "a fence asked only once", plant: asksOnce, seed: 1 },
])("finds $name within 1,000 schedules", async ({ name, plant, seed }) => {
  const { failure, runs } = await runSchedules(leaderSimulation, { runs: 1_000, seed, plant, shrink: false });
  console.log(`${name} was found by schedule ${runs}`);
  expect(failure).toMatch(/not been stopped|run at once|sends a write|lost leadership/);
});
