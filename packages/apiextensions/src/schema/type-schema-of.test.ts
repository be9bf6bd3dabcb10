import { deduced, objectMetaSchema, scalar, type TypeSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { resourceSchemaOf, typeSchemaOf } from "./type-schema-of.ts";

const text: JsonSchema = { type: "string" };
const anything = { ...deduced, nullable: true };
const emptyObject = { type: "object", fields: new Map() };
const atomicList = { type: "list", items: scalar("string"), topology: "atomic", keys: [] };
const field = (name: string, schema: TypeSchema, required = false) => ({
  ...{ name, schema, required, number: 0, pointer: true, alwaysPrinted: false, patchStrategies: [] },
});
const resourceFields = [
  field("apiVersion", scalar("string")),
  field("kind", scalar("string")),
  field("metadata", objectMetaSchema()),
].map((each) => [each.name, each] as const);

it.each<readonly [schema: JsonSchema, type: object]>([
  [text, scalar("string")],
  [{ type: "integer" }, scalar("int64")],
  [{ type: "number" }, scalar("double")],
  [{ type: "boolean" }, scalar("bool")],
  [{ type: "toString" }, deduced],
  [{}, deduced],
  [{ type: "string", "x-kubernetes-int-or-string": true }, scalar("IntOrString")],
  [
    { ...text, nullable: true },
    { ...scalar("string"), nullable: true },
  ],
  [{ ...text, nullable: false }, scalar("string")],
])("reads the scalar %j", (schema, type) => {
  expect(typeSchemaOf(schema)).toStrictEqual(type);
});

it.each<readonly [schema: JsonSchema, type: object]>([
  [{ type: "array", items: text }, atomicList],
  [{ type: "array" }, { ...atomicList, items: deduced }],
  [
    { type: "array", items: text, "x-kubernetes-list-type": "set" },
    { ...atomicList, topology: "set" },
  ],
  [{ type: "array", items: text, "x-kubernetes-list-type": "other" }, atomicList],
  [
    { type: "array", items: text, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"] },
    { ...atomicList, topology: "map", keys: ["k", "l"] },
  ],
  [
    { type: "array", items: text, "x-kubernetes-list-type": "map" },
    { ...atomicList, topology: "map" },
  ],
  [
    { type: "array", items: text, "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["k"] },
    {
      ...atomicList,
      topology: "set",
    },
  ],
])("reads the list %j", (schema, type) => {
  expect(typeSchemaOf(schema)).toStrictEqual(type);
});

it.each<readonly [schema: JsonSchema, type: object]>([
  [
    { type: "object", additionalProperties: text },
    { type: "map", values: scalar("string") },
  ],
  [
    { type: "object", additionalProperties: { ...text, default: "" } },
    { type: "map", values: { ...scalar("string"), nullable: true } },
  ],
  [
    { type: "object", additionalProperties: true },
    { type: "map", values: anything },
  ],
  [
    { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    { type: "map", values: scalar("string"), atomic: true },
  ],
  [
    { type: "object", additionalProperties: text, "x-kubernetes-map-type": "granular" },
    { type: "map", values: scalar("string") },
  ],
  [{ type: "object", additionalProperties: false }, emptyObject],
  [
    { type: "object", properties: {}, additionalProperties: text },
    { ...emptyObject, rest: scalar("string") },
  ],
  [
    { type: "object", properties: {}, additionalProperties: { ...text, default: "" } },
    { ...emptyObject, rest: { ...scalar("string"), nullable: true } },
  ],
  [
    { type: "object", properties: {}, additionalProperties: true },
    { ...emptyObject, rest: anything },
  ],
  [
    { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    { ...emptyObject, rest: anything },
  ],
  [{ type: "object", properties: {}, additionalProperties: false }, emptyObject],
  [
    { type: "object", "x-kubernetes-map-type": "atomic" },
    { ...emptyObject, atomic: true },
  ],
  [{ type: "object", "x-kubernetes-map-type": "granular" }, emptyObject],
  [
    { type: "object", nullable: true },
    { ...emptyObject, nullable: true },
  ],
])("reads the map or object %j", (schema, type) => {
  expect(typeSchemaOf(schema)).toStrictEqual(type);
});

it("reads fields with their defaults, required or not", () => {
  const properties = { a: text, b: { ...text, default: "" }, c: text };
  expect(typeSchemaOf({ type: "object", properties, required: ["c"] })).toStrictEqual({
    type: "object",
    fields: new Map<string, object>([
      ["a", field("a", scalar("string"))],
      ["b", { ...field("b", scalar("string")), default: "" }],
      ["c", field("c", scalar("string"), true)],
    ]),
  });
});

describe("a resource", () => {
  const properties = { spec: text, metadata: text, kind: { type: "integer" } };

  it("has the type and metadata of every object", () => {
    const schema: JsonSchema = { type: "object", properties, required: ["kind"] };
    const type = resourceSchemaOf(schema, "Site");
    expect(type).toStrictEqual({
      ...{ type: "object", isResource: true, name: "Site", published: schema },
      fields: new Map([["spec", field("spec", scalar("string"))] as const, ...resourceFields]),
    });
    expect(type.published).not.toBe(schema);
  });

  it("has them where it is embedded, too", () => {
    const schema: JsonSchema = { type: "object", "x-kubernetes-embedded-resource": true, additionalProperties: true };
    expect(typeSchemaOf(schema)).toStrictEqual({
      ...{ type: "object", isResource: true, rest: anything },
      fields: new Map(resourceFields),
    });
  });
});
