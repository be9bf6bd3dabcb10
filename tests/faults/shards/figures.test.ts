import { expect, it } from "vitest";
import { shardFigures, shardShortfalls } from "./figures.ts";

it("divides work and memory evenly among replicas, and recovers the shards of a lost one", {
  timeout: 400_000,
}, async () => {
  const figures = await shardFigures({ namespaces: 200, objectsPerNamespace: 1, replicas: 4, shards: 16 });
  console.log(figures);
  expect(figures.cached.reduce((sum, count) => sum + count, 0)).toBe(200);
  expect(shardShortfalls({ ...figures, recoveryMs: 0 })).toEqual([]);
  // The recovery ended. Its time depends on the machine, so only the command checks it.
  expect(figures.recoveryMs).toBeGreaterThan(figures.leaseDurationMs / 2);
});

it("reports figures that are worse than promised", () => {
  const figures = { reconciled: [100, 70], cached: [100, 99], recoveryMs: 21_000, leaseDurationMs: 15_000 };
  expect(shardShortfalls(figures)).toEqual([
    "reconciled: 100, 70 differ from their mean by 18%",
    "the shards of a lost replica worked again after 21000 ms",
  ]);
});
