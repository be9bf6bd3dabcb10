import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { toStructuralSchema } from "./normalise.ts";
import { SchemaError } from "./normalise-context.ts";

describe("what a JSON schema becomes", () => {
  it.each<[string, unknown, unknown]>([
    ["a literal", Type.Literal("a"), { type: "string", enum: ["a"] }],
    ["a union of literals", Type.Union([Type.Literal(1), Type.Literal(2)]), { type: "integer", enum: [1, 2] }],
    ["an enum", Type.Enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    [
      "a union with null",
      Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
      { type: "string", minLength: 1, nullable: true },
    ],
    ["a list of types", { type: ["string", "null"] }, { type: "string", nullable: true }],
    ["a number or text", Type.Union([Type.Integer(), Type.String()]), { "x-kubernetes-int-or-string": true }],
    [
      "a record",
      Type.Record(Type.String(), Type.Integer()),
      { type: "object", additionalProperties: { type: "integer" } },
    ],
    ["anything", Type.Unknown(), { "x-kubernetes-preserve-unknown-fields": true }],
    [
      "an exclusive bound",
      Type.Number({ exclusiveMinimum: 0 }),
      { type: "number", minimum: 0, exclusiveMinimum: true },
    ],
    ["a pattern as an expression", { type: "string", pattern: /^a/ }, { type: "string", pattern: "^a" }],
    [
      "a set",
      Type.Array(Type.String(), { uniqueItems: true }),
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ],
    [
      "a pair",
      Type.Tuple([Type.String(), Type.String()]),
      { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 },
    ],
    ["a closed object", Type.Object({}, { additionalProperties: false }), { type: "object" }],
    [
      "an open object",
      Type.Object({ a: Type.String() }, { additionalProperties: true }),
      {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        "x-kubernetes-preserve-unknown-fields": true,
      },
    ],
    [
      "an intersection",
      Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.String()) })]),
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] },
    ],
    [
      "a member with a default",
      Type.Object({ a: Type.Integer({ default: 1 }) }),
      { type: "object", properties: { a: { type: "integer", default: 1 } } },
    ],
    [
      "a reference",
      { $ref: "#/$defs/A", $defs: { A: { type: "string" } }, description: "why" },
      { type: "string", description: "why" },
    ],
    [
      "a schema that refers to itself",
      Type.Cyclic({ Node: Type.Object({ next: Type.Optional(Type.Ref("Node")) }) }, "Node"),
      {
        type: "object",
        properties: { next: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(toStructuralSchema(schema)).toEqual(expected);
  });

  it("keeps branches of one type as validations, and the properties of all branches outside of them", () => {
    const schema = Type.Union([
      Type.Object({ kind: Type.Literal("a"), size: Type.Integer({ default: 1 }) }),
      Type.Object({ kind: Type.Literal("b"), name: Type.String({ maxLength: 3 }) }),
    ]);
    expect(toStructuralSchema(schema)).toEqual({
      type: "object",
      properties: {
        kind: { type: "string", enum: ["a", "b"] },
        size: { type: "integer", default: 1 },
        name: { type: "string", maxLength: 3 },
      },
      anyOf: [
        { properties: { kind: { enum: ["a"] } }, required: ["kind"] },
        { properties: { kind: { enum: ["b"] }, name: { maxLength: 3 } }, required: ["kind", "name"] },
      ],
    });
  });

  it("does not change a schema that is already structural", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, p: { "x-kubernetes-int-or-string": true } },
      anyOf: [{ required: ["a"] }, { required: ["p"] }],
      "x-kubernetes-validations": [{ rule: "has(self.a)" }],
    };
    expect(toStructuralSchema(schema)).toEqual(schema);
  });
});

describe("what has no structural form", () => {
  it.each<[string, unknown, string]>([
    [
      "a union of different types",
      Type.Object({ x: Type.Union([Type.Object({}), Type.String()]) }),
      "spec.x: a union of object and string",
    ],
    [
      "named and arbitrary members",
      { properties: { a: {} }, additionalProperties: { type: "string" } },
      "cannot be used together",
    ],
    ["a type of other dialects", { type: "null" }, 'spec: type "null" is not supported'],
    ["a reference to nothing", { $ref: "X" }, 'reference "X" is not defined'],
    ["no schema at all", 3, "not a schema: 3"],
  ])("%s", (_name, schema, message) => {
    const run = (): unknown => toStructuralSchema(schema, "spec");
    expect(run).toThrow(SchemaError);
    expect(run).toThrow(message);
  });
});
