import { expect, it } from "vitest";
import { parseGoDuration } from "./go-text.ts";

it.each([
  ["1h30m", 5_400_000_000_000n],
  ["-1.5s", -1_500_000_000n],
  ["1.s", 1_000_000_000n],
  [".5s", 500_000_000n],
  ["0", 0n],
  ["9223372036854775807ns", 2n ** 63n - 1n],
  ["9223372036854775808ns", undefined],
  ["-9223372036854775808ns", -(2n ** 63n)],
  ["2562047h2562047h", undefined],
  [`${"0".repeat(30)}1ns`, 1n],
  [`0.${"3".repeat(30)}s`, 333_333_333n],
  ["99999999999999999999999h", undefined],
  ["1", undefined],
])("the duration %s has %s ns", (text, ns) => {
  expect(parseGoDuration(text)).toBe(ns);
});

it.each([
  ["digits without a unit", "1".repeat(1_000_000)],
  ["digits of one number", `${"1".repeat(1_000_000)}ns`],
  ["decimals", `1.${"1".repeat(1_000_000)}!`],
  ["units", `${"1h".repeat(500_000)}!`],
])("a million %s take no longer than their length", (_, text) => {
  const start = performance.now();
  expect(parseGoDuration(text)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(1_000);
});
