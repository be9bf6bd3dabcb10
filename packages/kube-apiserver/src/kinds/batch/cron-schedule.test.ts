import { expect, it } from "vitest";
import { scheduleProblem } from "./cron-schedule.ts";

it.each(["*/5 * * * *", "0 0 1,15 jan-jun MON", "@daily", "@every 1h30m", "0-30/10 ? * * 0", "TZ=UTC 5 4 * * *"])(
  "%s is a schedule",
  (text) => {
    expect(scheduleProblem(text)).toBeUndefined();
  },
);

it.each([
  ["", "empty spec string"],
  ["* * *", "expected exactly 5 fields, found 3: [* * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ["@foo", "unrecognized descriptor: @foo"],
])("%j is none", (text, problem) => {
  expect(scheduleProblem(text)).toBe(problem);
});
