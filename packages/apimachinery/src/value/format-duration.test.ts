import { expect, it } from "vitest";
import { parseFormatDuration } from "./format-duration.ts";

const [second, day] = [1_000_000_000n, 86_400_000_000_000n];

it.each([
  ["1m30s", 90n * second],
  ["-1.5s", -1_500_000_000n],
  ["3 days", 3n * day],
  ["2 Weeks", 14n * day],
  ["1d12h", day + 43_200n * second],
  ["1 day and 2 sec", day + 2n * second],
  ["5 dayish", 5n * day],
  ["12 34s", 34n * second],
  ["1.5 days", 5n * day],
  ["7µs", 7_000n],
  ["9223372036854775808ns", undefined],
  ["-3d", 3n * day],
  ["1 fortnight", undefined],
  ["1", undefined],
  ["days", undefined],
  ["", undefined],
  [`${"0".repeat(30)}1 day`, day],
  [`${"9".repeat(30)} days`, undefined],
])("the format duration reads %j as %s ns", (text, ns) => {
  expect(parseFormatDuration(text)).toBe(ns);
});
