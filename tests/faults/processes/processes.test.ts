import { expect, it } from "vitest";
import { runProcesses } from "./run-processes.ts";

it("accepts no write of a stopped process after the next one led", async () => {
  const report = await runProcesses(5, 1);
  console.log(report);
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ started: 5, terms: expect.toSatisfy((terms: number) => terms >= 2) });
  expect(report.writes).toBeGreaterThan(0);
});
