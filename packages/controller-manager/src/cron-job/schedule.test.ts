import { expect, it } from "vitest";
import { parseSchedule } from "./schedule.ts";

const next = (schedule: string, after: string, timeZone?: string): string | undefined => {
  const at = parseSchedule(schedule, timeZone).next(Date.parse(after));
  return at === undefined ? undefined : new Date(at).toISOString();
};

it.each([
  ["* * * * *", "2026-01-01T00:00:30Z", "2026-01-01T00:01:00.000Z"],
  ["*/15 9-17 * * mon-fri", "2026-01-02T17:50:00Z", "2026-01-05T09:00:00.000Z"],
  ["0 0 31 * *", "2026-02-01T00:00:00Z", "2026-03-31T00:00:00.000Z"],
  ["0 12 13 * fri", "2026-03-01T00:00:00Z", "2026-03-06T12:00:00.000Z"],
  ["@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"],
  ["@every 90s", "2026-01-01T00:00:00Z", "2026-01-01T00:01:30.000Z"],
  ["TZ=Europe/Berlin 0 6 * * *", "2026-07-01T00:00:00Z", "2026-07-01T04:00:00.000Z"],
])("%s after %s is %s", (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected);
});

it("keeps to a time zone, over the change of the clocks too", () => {
  expect(next("30 8 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin")).toBe("2026-03-29T06:30:00.000Z");
  expect(next("0 0 30 2 *", "2026-01-01T00:00:00Z")).toBeUndefined();
});
