import { expect, it } from "vitest";
import { runSchedules, tableOf } from "../schedule/run-schedules.ts";
import { namespaceSimulation, shardSimulation } from "./shard-simulation.ts";

it("never reconciles an object in two replicas, forgets none, and sends no late write", async () => {
  const report = await runSchedules(shardSimulation, { runs: 8 });
  console.log(tableOf(report));
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(8);
});

it("caches only the namespaces of its shards, and reads no existing object as missing", async () => {
  const report = await runSchedules(namespaceSimulation, { runs: 8 });
  console.log(tableOf(report));
  expect(report.failure).toBeUndefined();
});

it("finds a cache that does not learn of acquired shards", async () => {
  const plant = () => ({ skipsNamespaces: true });
  const { failure } = await runSchedules(namespaceSimulation, { runs: 5, seed: 5, plant, shrink: false });
  expect(failure).toMatch(/is not done|caches \d+ sites/);
});

it.each([
  { name: "a shard that is handed over before its reconciles have ended", bug: { skipsDrain: true }, seed: 13 },
  { name: "an acquired shard whose objects are not delivered", bug: { skipsDelivery: true }, seed: 5 },
  { name: "writes without a fence", bug: { skipsFence: true }, seed: 13 },
  { name: "a shard that is used after it was lost", bug: { keepsTerms: true }, seed: 5 },
])("finds $name", async ({ name, bug, seed }) => {
  const { failure, runs } = await runSchedules(shardSimulation, { runs: 100, seed, plant: () => bug, shrink: false });
  console.log(`${name} was found by schedule ${runs}`);
  expect(failure).toMatch(/at once|is not done|a write while/);
});
