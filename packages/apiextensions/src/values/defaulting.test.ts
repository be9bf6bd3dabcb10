import { expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { applySchemaDefaults, TooManyDefaults } from "./defaulting.ts";

const listOf = (value: unknown): JsonSchema => ({
  type: "array",
  items: { type: "object", properties: { a: { type: "object", default: value, additionalProperties: {} } } },
});
const items = (length: number): object[] => Array.from({ length }, () => ({}));

it("each value has a copy of its default", () => {
  const value = items(2);
  applySchemaDefaults(value, listOf({ b: { c: 1 } }));
  expect(value).toEqual([{ a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }]);
  expect(new Set(value.map((item) => Object.values(item)[0])).size).toBe(2);
});

const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]));

it.each<readonly [string, number, unknown]>([
  ["many values", 3_000, members],
  ["long texts", 200, { a: "x".repeat(100_000) }],
  ["long names", 200, { ["x".repeat(100_000)]: 1 }],
])("defaults that add %s too often are given up", (_what, count, value) => {
  expect(() => applySchemaDefaults(items(count), listOf(value))).toThrow(TooManyDefaults);
  expect(() => applySchemaDefaults(items(90), listOf(value))).not.toThrow();
});
