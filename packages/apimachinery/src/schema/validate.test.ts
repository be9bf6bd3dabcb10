import { describe, expect, it } from "vitest";
import { fieldErrorMessage } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateAgainstSchema } from "./validate.ts";

const problems = (value: unknown, schema: StructuralSchema): string[] =>
  validateAgainstSchema(value, schema, FieldPath.of("f")).map(fieldErrorMessage);

describe("messages of the server", () => {
  it.each<[unknown, StructuralSchema, string[]]>([
    [1, { type: "string" }, ['f: Invalid value: "integer": f in body must be of type string: "integer"']],
    [1.5, { type: "integer" }, ['f: Invalid value: "number": f in body must be of type integer: "number"']],
    [null, { type: "string" }, ['f: Invalid value: "null": f in body must be of type string: "null"']],
    [
      true,
      { "x-kubernetes-int-or-string": true },
      ['f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"'],
    ],
    [
      "1",
      { type: "integer", enum: [1] },
      [
        'f: Invalid value: "string": f in body must be of type integer: "string"',
        'f: Unsupported value: "1": supported values: "1"',
      ],
    ],
    [11, { type: "integer", maximum: 10 }, ["f: Invalid value: 11: f in body should be less than or equal to 10"]],
    [
      10,
      { type: "integer", maximum: 10, exclusiveMaximum: true },
      ["f: Invalid value: 10: f in body should be less than 10"],
    ],
    [
      0,
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      ["f: Invalid value: 0: f in body should be greater than 0"],
    ],
    [7, { type: "integer", multipleOf: 5 }, ["f: Invalid value: 7: f in body should be a multiple of 5"]],
    [
      "A",
      { type: "string", minLength: 2, pattern: "^[a-z]+$" },
      ['f: Invalid value: "A": f in body should be at least 2 chars long'],
    ],
    ["ABC", { type: "string", pattern: "^[a-z]+$" }, [`f: Invalid value: "ABC": f in body should match '^[a-z]+$'`]],
    ["abcdef", { type: "string", maxLength: 5 }, ["f: Too long: may not be more than 5 bytes"]],
    ["x", { type: "string", format: "uuid" }, ['f: Invalid value: "x": f in body must be of type uuid: "x"']],
    [
      [1],
      { type: "array", items: { type: "integer" }, minItems: 2 },
      ["f: Invalid value: 1: f in body should have at least 2 items"],
    ],
    [[1, 2], { type: "array", maxItems: 1 }, ["f: Too many: 2: must have at most 1 item"]],
    [["a", "a"], { type: "array", "x-kubernetes-list-type": "set" }, ['f[1]: Duplicate value: "a"']],
    [
      [
        { n: 1, v: 1 },
        { n: 1, v: 2 },
      ],
      { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"] },
      ['f[1]: Duplicate value: {"n":1}'],
    ],
    [
      {},
      { type: "object", required: ["a"], minProperties: 1 },
      ["f: Invalid value: 0: f in body should have at least 1 properties", "f.a: Required value"],
    ],
    [
      { a: { b: 1 } },
      { type: "object", additionalProperties: { type: "object", properties: { b: { type: "string" } } } },
      ['f.a.b: Invalid value: "integer": f.a.b in body must be of type string: "integer"'],
    ],
    [
      "x",
      { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "b$" }] },
      [
        '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
        `f: Invalid value: "x": f in body should match '^a'`,
      ],
    ],
    [
      "ab",
      { type: "string", oneOf: [{ pattern: "^a" }, { pattern: "b$" }] },
      ['<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      "a",
      { type: "string", not: { pattern: "^a" } },
      ['<nil>: Invalid value: "": "f" must not validate the schema (not)'],
    ],
  ])("%j against %j", (value, schema, expected) => {
    expect(problems(value, schema)).toEqual(expected);
  });

  it("are absent for valid values", () => {
    expect(problems(null, { type: "string", nullable: true })).toEqual([]);
    expect(problems(9007199254740993n, { type: "integer", minimum: 0 })).toEqual([]);
    expect(problems(5, { type: "number" })).toEqual([]);
    expect(problems("5", { "x-kubernetes-int-or-string": true })).toEqual([]);
  });
});
