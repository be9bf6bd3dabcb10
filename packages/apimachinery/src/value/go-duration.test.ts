import { describe, expect, it } from "vitest";
import { formatGoDuration, parseGoDuration, quoteTime, readGoDuration } from "./go-duration.ts";

describe("a duration as Go reads it", () => {
  it.each([
    ["1h30m", 5_400_000_000_000n],
    ["-1.5s", -1_500_000_000n],
    ["+1.s", 1_000_000_000n],
    [".5s", 500_000_000n],
    ["1µs", 1_000n],
    ["1μs", 1_000n],
    ["0", 0n],
    ["-0", 0n],
    ["9223372036854775807ns", 2n ** 63n - 1n],
    ["-9223372036854775808ns", -(2n ** 63n)],
    [`${"0".repeat(30)}1ns`, 1n],
    [`0.${"3".repeat(30)}s`, 333_333_333n],
    ["0.3333333333333333333h", 1_200_000_000_000n],
    ["1.99999999999999999999s", 2_000_000_000n],
    ["9007199254.740993ms", 9_007_199_254_740_993n],
    ["4.999999999h", 17_999_999_996_400n],
    ["0.830103483285477580700h", 2_988_372_539_827n],
  ])("%s has %s ns", (text, ns) => {
    expect(readGoDuration(text)).toEqual({ ns });
  });

  it.each([
    ["", 'time: invalid duration ""'],
    ["+", 'time: invalid duration "+"'],
    [".s", 'time: invalid duration ".s"'],
    ["s", 'time: invalid duration "s"'],
    ["1", 'time: missing unit in duration "1"'],
    ["1h1", 'time: missing unit in duration "1h1"'],
    ["1x", 'time: unknown unit "x" in duration "1x"'],
    ["3 s", 'time: unknown unit " s" in duration "3 s"'],
    ["1constructor", 'time: unknown unit "constructor" in duration "1constructor"'],
    ['5"é\n', 'time: unknown unit "\\"\\xc3\\xa9\\x0a" in duration "5\\"\\xc3\\xa9\\x0a"'],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["2562047h2562047h", 'time: invalid duration "2562047h2562047h"'],
    ["99999999999999999999999h", 'time: invalid duration "99999999999999999999999h"'],
  ])("reports the problem in %j", (text, problem) => {
    expect(readGoDuration(text)).toEqual({ problem });
    expect(parseGoDuration(text)).toBeUndefined();
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
});

it.each([
  [0n, "0s"],
  [1n, "1ns"],
  [1_100n, "1.1µs"],
  [500_000_000n, "500ms"],
  [1_500_000_000n, "1.5s"],
  [90_000_000_000n, "1m30s"],
  [3_600_000_000_000n, "1h0m0s"],
  [36_000_000_000_000n, "10h0m0s"],
  [-2_200_000n, "-2.2ms"],
  [-(2n ** 63n), "-2562047h47m16.854775808s"],
])("%s ns are written %s", (ns, text) => {
  expect(formatGoDuration(ns)).toBe(text);
});

it("quotes as Go's package time does, which is not %q", () => {
  expect(quoteTime('a"\\é\n\u007f\u{1f642}')).toBe('"a\\"\\\\\\xc3\\xa9\\x0a\u007f\\xf0\\x9f\\x99\\x82"');
});
