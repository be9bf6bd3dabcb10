import { expect, it } from "vitest";
import { isTextTooDeep, isTooDeep, maxDepth } from "./depth.ts";

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
])("allows so many %s, and no more", (_what, open, close) => {
  for (const [levels, isDeep] of [
    [1, false],
    [maxDepth, false],
    [maxDepth + 1, true],
  ] as const) {
    const text = nested(levels, open, close);
    expect([isTooDeep(JSON.parse(text)), isTextTooDeep(text)]).toEqual([isDeep, isDeep]);
  }
});

it.each([null, 1, "[", [], {}, [{}, [1]]])("is satisfied with %j", (value) => {
  expect(isTooDeep(value)).toBe(false);
});

it("looks at every member", () => {
  const deep: unknown = JSON.parse(nested(maxDepth, "[", "]"));
  expect(isTooDeep([1, deep])).toBe(true);
  expect(isTooDeep({ a: 1, b: deep, c: 1 })).toBe(true);
});

it.each([
  ["brackets next to each other", "[]".repeat(maxDepth + 1), false],
  ["braces next to each other", "{}".repeat(maxDepth + 1), false],
  ["brackets in a text", `"${"[".repeat(maxDepth + 1)}"`, false],
  ["brackets behind an escaped quote", `"\\"${"[".repeat(maxDepth + 1)}`, false],
  ["brackets behind an escaped backslash", `"\\\\"${"[".repeat(maxDepth + 1)}`, true],
  ["brackets behind a text", `"a"${"{".repeat(maxDepth + 1)}`, true],
])("finds in a broken text %s", (_what, text, isDeep) => {
  expect(isTextTooDeep(text)).toBe(isDeep);
});
