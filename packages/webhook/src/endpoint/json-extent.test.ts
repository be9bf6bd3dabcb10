import { expect, it } from "vitest";
import { extentOf } from "./json-extent.ts";

const extent = (text: string, levels = 1_000, values = 1_000) => extentOf(Buffer.from(text), { levels, values });
const deeper = (text: string, most: number) => extent(text, most).levels > most;

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

it.each([
  ["", 0],
  ["1", 0],
  ["[]", 1],
  ["[1,2]", 2],
  ['{"a":[],"b":{}}', 4],
  ['["a,[{","\\",["]', 2],
])("counts the values of %s: %i", (text, values) => {
  expect(extent(text).values).toBe(values);
});

it("stops at a limit", () => {
  expect(extent("[".repeat(100), 3)).toEqual({ levels: 4, values: 4 });
  expect(extent(`[${"1,".repeat(100)}`, 3, 5)).toEqual({ levels: 1, values: 6 });
});

it("takes no longer for strings of backslashes and quotes", () => {
  const text = `["${"\\\\".repeat(1e6)}${'\\"'.repeat(1e6)}"]`;
  const started = performance.now();
  expect(deeper(text, 10)).toBe(false);
  expect(performance.now() - started).toBeLessThan(1_000);
});
