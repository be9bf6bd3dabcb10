import { expect, it } from "vitest";
import { parseSchedule, ScheduleError } from "./schedule.ts";

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
  ["0 0 */2 * 1", "2026-01-04T12:00:00Z", "2026-01-05T00:00:00.000Z"],
  ["0 0 */2 * 1", "2026-01-05T12:00:00Z", "2026-01-07T00:00:00.000Z"],
  ["0 0 1,* * 1", "2026-01-05T12:00:00Z", "2026-01-12T00:00:00.000Z"],
  ["0 0 1 1 ?", "2026-01-05T12:00:00Z", "2027-01-01T00:00:00.000Z"],
  ["5,,10 * * * *", "2026-01-01T00:05:00Z", "2026-01-01T00:10:00.000Z"],
  ["50/5 0 * * *", "2026-01-01T00:50:00Z", "2026-01-01T00:55:00.000Z"],
  ["@every 1m0.5s", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00.000Z"],
  ["@every 3us", "2026-01-01T00:00:00.700Z", "2026-01-01T00:00:01.000Z"],
  ["@every 90s", "2026-01-01T00:00:00Z", "2026-01-01T00:01:30.000Z"],
  ["TZ=Europe/Berlin 0 6 * * *", "2026-07-01T00:00:00Z", "2026-07-01T04:00:00.000Z"],
])("%s after %s is %s", (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected);
});

it("uses a time zone, also across clock changes", () => {
  expect(next("30 8 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin")).toBe("2026-03-29T06:30:00.000Z");
  expect(next("0 0 30 2 *", "2026-01-01T00:00:00Z")).toBeUndefined();
});

it.each([
  ["", "empty spec string"],
  ["* * *", "expected exactly 5 fields, found 3: [* * *]"],
  [" @daily", "expected exactly 5 fields, found 1: [@daily]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["60-70 * * * *", "end of range (70) above maximum (59): 60-70"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["* * * - *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ["99999999999999999999 * * * *", /value out of range$/],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["70/0 * * * *", "beginning of range (70) beyond end of range (59): 70/0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["x/2/3 * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["1/-2 * * * *", "negative number (-2) not allowed: -2"],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ["@foo", "unrecognized descriptor: @foo"],
  ["@constructor", "unrecognized descriptor: @constructor"],
  ["TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
  ["TZ=Nowhere 0 6 * * *", "provided bad location Nowhere: unknown time zone Nowhere"],
])("%j is not a valid schedule", (text, problem) => {
  expect(() => parseSchedule(text)).toThrow(ScheduleError);
  expect(() => parseSchedule(text)).toThrow(problem);
});

it("reports an unknown time zone of a schedule", () => {
  expect(() => parseSchedule("0 6 * * *", "Nowhere")).toThrow(RangeError);
});
