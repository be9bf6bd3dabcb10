import { expect, it } from "vitest";
import { isInt64 } from "./int64.ts";

it.each([
  ["0", true],
  ["-0", true],
  ["+5", true],
  ["9223372036854775807", true],
  ["9223372036854775808", false],
  ["-9223372036854775808", true],
  ["-9223372036854775809", false],
  ["99999999999999999999", false],
  [`${"0".repeat(30)}7`, true],
])("%s is an int64: %s", (text, expected) => {
  expect(isInt64(text)).toBe(expected);
});

it("decides a million digits quickly", () => {
  const start = performance.now();
  expect(isInt64("9".repeat(3_000_000))).toBe(false);
  expect(isInt64(`-${"0".repeat(3_000_000)}`)).toBe(true);
  expect(performance.now() - start).toBeLessThan(500);
});
