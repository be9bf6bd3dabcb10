import { expect, test } from "vitest";
import { churn } from "./churn.ts";

test("twenty seconds of churn under 200 watchers that lose their connections leave every view equal to a list", async () => {
  const reports = await churn({ durationMs: 20_000 });
  const last = reports.at(-1);
  expect(reports.flatMap(({ differing }) => differing)).toEqual([]);
  expect(last?.writes).toBeGreaterThan(300);
  expect(last?.cuts).toBeGreaterThan(150);
});
