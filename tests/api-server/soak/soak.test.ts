import { expect, test } from "vitest";
import { churn } from "./churn.ts";

test("a minute of churn under 200 watchers that lose their connections leaves every view equal to a list", async () => {
  const reports = await churn({ durationMs: 60_000 });
  const last = reports.at(-1);
  expect(reports.flatMap(({ differing }) => differing)).toEqual([]);
  expect(last?.writes).toBeGreaterThan(1_000);
  expect(last?.cuts).toBeGreaterThan(500);
});
