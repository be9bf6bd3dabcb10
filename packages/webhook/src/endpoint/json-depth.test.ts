import { expect, it } from "vitest";
import { nestsDeeperThan } from "./json-depth.ts";

const deeper = (text: string, most: number) => nestsDeeperThan(Buffer.from(text), most);

it.each([
  ["[[[1]]]", 3, false],
  ["[[[1]]]", 2, true],
  ['{"a":{"b":[1]}}', 3, false],
  ['{"a":{"b":[1]}}', 2, true],
  ["[1],[2],[3],[4]", 1, false],
  ['["[[[[[["]', 1, false],
  ['["\\"[[[[[["]', 1, false],
  ['["\\\\",[[1]]]', 2, true],
  ['["\\\\",[1]]', 2, false],
  ['["no end [[[[', 1, false],
])("detects whether %s nests deeper than %i: %s", (text, most, is) => {
  expect(deeper(text, most)).toBe(is);
});

it("takes no longer for strings of backslashes and quotes", () => {
  const text = `["${"\\\\".repeat(1e6)}${'\\"'.repeat(1e6)}"]`;
  const started = performance.now();
  expect(deeper(text, 10)).toBe(false);
  expect(performance.now() - started).toBeLessThan(1_000);
});
