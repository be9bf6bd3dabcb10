import { expect, it } from "vitest";
import { chaosTable, playSchedules } from "./play-schedules.ts";

it("restores the operator's world after any faults, and changes nothing that belongs to others", async () => {
  // A fixed seed, so that a failure here is caused by a change. Use `npm run test:chaos` for other seeds.
  const report = await playSchedules({ seed: 3, count: 20 });
  console.log(chaosTable(report));
  expect(report.failure).toBeUndefined();
  expect(report.played).toBe(20);
});
