import { expect, it } from "vitest";
import { addTwice, lostDelete, skippedRelist } from "./planted-bugs.ts";
import { informerSimulation } from "./schedule/informer-simulation.ts";
import { runSchedules } from "./schedule/run-schedules.ts";

it.each([
  { name: "a lost delete", plant: lostDelete, sign: /deleted|the server does not/ },
  { name: "a skipped relist after 410", plant: skippedRelist, sign: /should have seen at the end|the server/ },
  { name: "an add given twice", plant: addTwice, sign: /added .* twice/ },
])("finds $name within 1,000 schedules", async ({ name, plant, sign }) => {
  const { failure, runs, seed } = await runSchedules(informerSimulation, { runs: 1_000, plant, shrink: false });
  console.log(`${name} was found by schedule ${runs} of seed ${seed}`);
  expect(failure).toMatch(sign);
});
