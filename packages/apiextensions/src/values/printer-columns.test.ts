import type { KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { PrinterColumn } from "../definition/definition.ts";
import { columnsOf } from "./printer-columns.ts";

const nowMs = Date.parse("2030-01-01T00:05:00Z");
const cellOf = (value: unknown, column: Partial<PrinterColumn> = {}): unknown => {
  const object: KubeObject & { spec: object } = {
    apiVersion: "a/v1",
    kind: "A",
    metadata: { name: "a" },
    spec: { value },
  };
  return columnsOf([{ name: "Value", type: "string", jsonPath: ".spec.value", ...column }])[1]?.cell(object, nowMs);
};

it.each<readonly [type: string, value: unknown, cell: unknown]>([
  ["string", "x", "x"],
  ["string", 5, "5"],
  ["string", null, ""],
  ["string", true, "true"],
  ["string", { a: [1] }, '{"a":[1]}'],
  ["string", ["a", 1], '["a",1]'],
  ["color", 1, "1"],
  ["integer", 5, 5],
  ["integer", -5.7, -5],
  ["integer", "5", null],
  ["number", 5.7, 5.7],
  ["number", "5", null],
  ["boolean", false, false],
  ["boolean", "false", null],
  ["date", "2030-01-01T00:00:00Z", "5m"],
  ["date", "yesterday", "<invalid>"],
  ["date", 5, null],
])("prints in a column of type %s: %j", (type, value, cell) => {
  expect(cellOf(value, { type })).toBe(cell);
});

it("prints numbers of any size", () => {
  expect(cellOf(5n, { type: "integer" })).toBe(5);
  expect(cellOf(5n, { type: "number" })).toBe(5);
});

it("leaves a cell empty if nothing is found, or the path is invalid", () => {
  expect(cellOf(1, { jsonPath: ".spec.other" })).toBeNull();
  expect(cellOf(1, { jsonPath: ".spec[" })).toBeNull();
});

it("prints all values at a path", () => {
  expect(cellOf(["a", "b", null, 1], { jsonPath: ".spec.value[*]" })).toBe("a b  1");
});

it("prints no more values once a cell is long enough", () => {
  const longest = 100_000;
  const lengthOf = (length: number): number =>
    String(cellOf(["x".repeat(length), "y", "z"], { jsonPath: ".spec.value[*]" })).length;
  expect(lengthOf(longest)).toBe(longest); // with the following space, it is too long
  expect(lengthOf(longest - 1)).toBe(longest - 1 + " y".length);
  expect(lengthOf(longest - 10)).toBe(longest - 10 + " y z".length);
});

it("describes columns as the definition does, or by their path", () => {
  const given = { name: "A", type: "integer", format: "int32", description: "how many", priority: 1, jsonPath: ".a" };
  const [, described, plain] = columnsOf([given, { name: "B", type: "color", jsonPath: ".b" }]);
  const { jsonPath: _path, ...shown } = given;
  expect(described).toMatchObject(shown);
  expect(plain).toMatchObject({
    ...{ name: "B", type: "string", format: "", priority: 0 },
    description: "Custom resource definition column (in JSONPath format): .b",
  });
});

it.each([[undefined], [[]]])("shows name and age if a definition has no columns: %j", (columns) => {
  expect(columnsOf(columns).map(({ name, type }) => [name, type])).toEqual([
    ["Name", "string"],
    ["Age", "date"],
  ]);
});
