import { expect, it } from "vitest";
import { measure } from "./measure.ts";
import { ratioTable } from "./table.ts";
import { queueLoads, queueSubjects } from "./workqueue.ts";

it.each(queueLoads)("measures both queues under the load %s", async (load) => {
  const measurements = await measure(queueSubjects(load, 1_000), 1);
  expect(measurements.map(({ name }) => name)).toEqual([`${load}: a set and an array`, `${load}: Queue`]);
  for (const { operationsPerCpuSecond } of measurements) expect(operationsPerCpuSecond).toBeGreaterThan(0);
  expect(ratioTable(load, measurements)).toHaveLength(3);
});
