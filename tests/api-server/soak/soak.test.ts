import { expect, test } from "vitest";
import { churn } from "./churn.ts";

test("after twenty seconds of churn with 200 watchers that lose their connections, every view equals a list", async () => {
  const reports = await churn({ durationMs: 20_000 });
  const last = reports.at(-1);
  expect(reports.flatMap(({ differing }) => differing)).toEqual([]);
  expect(last?.writes).toBeGreaterThan(300);
  expect(last?.cuts).toBeGreaterThan(150);
});
