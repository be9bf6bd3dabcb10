import { expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { applySchemaDefaults, TooManyDefaults } from "./defaulting.ts";

const listOf = (value: unknown): JsonSchema => ({
  type: "array",
  items: { type: "object", properties: { a: { type: "object", default: value, additionalProperties: {} } } },
});
const items = (length: number): object[] => Array.from({ length }, () => ({}));

it("copies the default for each value", () => {
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
])("aborts if defaults add %s too often", (_what, count, value) => {
  expect(() => applySchemaDefaults(items(count), listOf(value))).toThrow(TooManyDefaults);
  expect(() => applySchemaDefaults(items(90), listOf(value))).not.toThrow();
});

const defaulted = (value: object, schema: JsonSchema): unknown => {
  applySchemaDefaults(value, schema);
  return value;
};
const withDefault: JsonSchema = { type: "string", default: "d" };

it.each<readonly [title: string, schema: JsonSchema, value: object, expected: object]>([
  ["an absent member", { properties: { a: withDefault } }, {}, { a: "d" }],
  ["no member that has a value", { properties: { a: withDefault } }, { a: "" }, { a: "" }],
  ["a null", { properties: { a: withDefault } }, { a: null }, { a: "d" }],
  ["not a null that may be", { properties: { a: { ...withDefault, nullable: true } } }, { a: null }, { a: null }],
  ["an absent member that may be null", { properties: { a: { ...withDefault, nullable: true } } }, {}, { a: "d" }],
  ["not below an absent parent", { properties: { a: { properties: { b: withDefault } } } }, {}, {}],
  ["below an existing parent", { properties: { a: { properties: { b: withDefault } } } }, { a: {} }, { a: { b: "d" } }],
  ["a null of a list", { items: withDefault }, [null, "x"], ["d", "x"]],
  ["not a null of a list that may be", { items: { ...withDefault, nullable: true } }, [null], [null]],
  ["not a null of a list without a default", { items: { type: "string" } }, [null], [null]],
  ["not a list without a schema of items", {}, [null], [null]],
  ["below items", { items: { properties: { b: withDefault } } }, [{}], [{ b: "d" }]],
  ["a null of a map", { additionalProperties: withDefault }, { x: null }, { x: "d" }],
  [
    "not a null of a map that may be",
    { additionalProperties: { ...withDefault, nullable: true } },
    { x: null },
    { x: null },
  ],
  ["not a null of a map without a default", { additionalProperties: { type: "string" } }, { x: null }, { x: null }],
  ["below values of a map", { additionalProperties: { properties: { b: withDefault } } }, { x: {} }, { x: { b: "d" } }],
  ["not below values that may be anything", { additionalProperties: true }, { x: null }, { x: null }],
  ["within a default", { properties: { a: { default: {}, properties: { b: withDefault } } } }, {}, { a: { b: "d" } }],
])("fills in %s", (_title, schema, value, expected) => {
  expect(defaulted(value, schema)).toEqual(expected);
});
