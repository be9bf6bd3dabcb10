import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { schemaSupportErrors } from "./schema-support.ts";

const errors = (schema: object, path = "s"): string[] =>
  schemaSupportErrors(schema, FieldPath.of(path)).map(fieldErrorMessage);

const text: JsonSchema = { type: "string" };
const bad: JsonSchema = { uniqueItems: true };
const supportedTypes = ["array", "boolean", "integer", "number", "object", "string"];
const quadratic = "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic";

it.each(supportedTypes)("accepts the type %s", (type) => {
  expect(errors({ type })).toEqual([]);
});

it.each<readonly [schema: object, messages: readonly string[]]>([
  [{}, []],
  [{ type: "" }, []],
  [
    { type: "text" },
    [`s.type: Unsupported value: "text": supported values: ${supportedTypes.map((t) => `"${t}"`).join(", ")}`],
  ],
  [
    { type: "null" },
    [
      expect.stringContaining('s.type: Unsupported value: "null"'),
      "s.type: Forbidden: type cannot be set to null, use nullable as an alternative",
    ],
  ],
  ...["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"].map(
    (name) => [{ [name]: {} }, [`s.${name}: Forbidden: ${name} is not supported`]] as const,
  ),
  [{ items: [text] }, ["s.items: Forbidden: items must be a schema object and not an array"]],
  [bad, [`s.uniqueItems: ${quadratic}`]],
  [{ uniqueItems: false }, []],
  [
    { "x-kubernetes-preserve-unknown-fields": false },
    ["s.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
  ],
  [{ "x-kubernetes-preserve-unknown-fields": true }, []],
  [{ default: 1 }, []],
])("checks the members of %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

const mapText = "must be object if x-kubernetes-map-type is specified";
it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [{ type: "object", "x-kubernetes-map-type": "atomic" }, []],
  [{ type: "object", "x-kubernetes-map-type": "granular" }, []],
  [
    { type: "object", "x-kubernetes-map-type": "set" },
    ['s.x-kubernetes-map-type: Unsupported value: "set": supported values: "atomic", "granular"'],
  ],
  [{ "x-kubernetes-map-type": "atomic" }, [`s.type: Required value: ${mapText}`]],
  [{ type: "array", "x-kubernetes-map-type": "atomic" }, [`s.type: Invalid value: "array": ${mapText}`]],
])("checks the map type of %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

const exclusive = "s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive";
it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [{ properties: { a: text }, additionalProperties: text }, [exclusive]],
  [{ properties: { a: text }, additionalProperties: false }, [exclusive]],
  [{ properties: { a: text }, additionalProperties: true }, []],
  [{ properties: {}, additionalProperties: text }, []],
  [{ additionalProperties: text }, []],
  [{ properties: { a: text } }, []],
])("accepts additionalProperties or properties, but not both: %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

it.each<readonly [place: string, schema: JsonSchema]>([
  ["additionalProperties", { additionalProperties: bad }],
  ["properties[a]", { properties: { a: bad } }],
  ["not", { not: bad }],
  ["allOf[1]", { allOf: [text, bad] }],
  ["oneOf[1]", { oneOf: [text, bad] }],
  ["anyOf[1]", { anyOf: [text, bad] }],
  ["items", { items: bad }],
  ["items.properties[a].not", { items: { properties: { a: { not: bad } } } }],
])("checks the schema at %s", (place, schema) => {
  expect(errors(schema)).toEqual([`s.${place}.uniqueItems: ${quadratic}`]);
});

describe("a default", () => {
  const fallback: JsonSchema = { type: "string", default: "x" };

  it.each(["metadata", "kind", "apiVersion"])("is forbidden in and below %s of a resource", (name) => {
    const combined: JsonSchema = {
      ...fallback,
      ...{ not: fallback, items: fallback, anyOf: [fallback], additionalProperties: fallback },
    };
    const at = `openAPIV3Schema.properties[${name}]`;
    const found = errors({ properties: { [name]: combined } }, "openAPIV3Schema");
    expect(found).toEqual(
      ["", ".additionalProperties", ".not", ".anyOf[0]", ".items"].map(
        (place) => `${at}${place}.default: Forbidden: must not be set in top-level ${name}`,
      ),
    );
    expect(errors({ properties: { [name]: { properties: { a: fallback } } } }, "openAPIV3Schema")).toHaveLength(1);
  });

  it.each([
    ["metadata", "s"],
    ["spec", "openAPIV3Schema"],
    ["metadataOf", "openAPIV3Schema"],
    ["subkind", "openAPIV3Schema"],
  ])("is allowed in %s of %s", (name, path) => {
    expect(errors({ properties: { [name]: fallback } }, path)).toEqual([]);
  });
});

const list = (listType: string, items?: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "array",
  "x-kubernetes-list-type": listType,
  ...(items ? { items } : {}),
  ...more,
});
const arrayText = "must be array if x-kubernetes-list-type is specified";
const atomicText = "must be atomic as item of a list with x-kubernetes-list-type=set";
it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [list("atomic"), []],
  [list("set"), []],
  [list("set", text), []],
  [list("bag", text), ['s.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"']],
  [list("set", text, { type: "object" }), [`s.type: Invalid value: "object": ${arrayText}`]],
  [{ "x-kubernetes-list-type": "set" }, [`s.type: Required value: ${arrayText}`]],
  [list("set", { type: "array" }), []],
  [list("set", list("atomic")), []],
  [list("set", list("set")), [`s.items.x-kubernetes-list-type: Invalid value: "set": ${atomicText}`]],
  [list("set", { type: "object", "x-kubernetes-map-type": "atomic" }), []],
  [list("set", { type: "object" }), [`s.items.x-kubernetes-map-type: Invalid value: null: ${atomicText}`]],
  [
    list("set", { type: "object", "x-kubernetes-map-type": "granular" }),
    [`s.items.x-kubernetes-map-type: Invalid value: "granular": ${atomicText}`],
  ],
  [list("atomic", { type: "object" }), []],
  [
    list("set", { ...text, nullable: true }),
    ["s.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
  ],
  [list("atomic", { ...text, nullable: true }), []],
])("checks the list type of %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

const keyed = (items: JsonSchema | undefined, keys: readonly string[] = ["k"]): JsonSchema =>
  list("map", items, { "x-kubernetes-list-map-keys": keys });
const item = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = ["k"]): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const keyText = "this property is in x-kubernetes-list-map-keys, so it";
const scalarText = "must be a scalar type if parent array's x-kubernetes-list-type is map";
it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [keyed(item({ k: text })), []],
  [
    keyed(item({ k: text }), []),
    ["s.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
  ],
  [
    list("map", item({ k: text })),
    ["s.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
  ],
  [keyed(undefined), ["s.items: Required value: must have a schema if x-kubernetes-list-type is map"]],
  [
    keyed(text),
    ['s.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map'],
  ],
  [keyed({}), ['s.items.type: Invalid value: "": must be object if parent array\'s x-kubernetes-list-type is map']],
  [
    keyed(item({ l: text })),
    ['s.x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties'],
  ],
  ...["array", "object"].map(
    (type) =>
      [keyed(item({ k: { type } })), [`s.items.properties[k].type: Invalid value: "object": ${scalarText}`]] as const,
  ),
  [
    keyed(item({ k: text }), ["k", "k"]),
    ['s.x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries'],
  ],
  [
    keyed(item({ k: text }, [])),
    [`s.items.properties[k].default: Required value: ${keyText} must have a default or be a required property`],
  ],
  [keyed(item({ k: { ...text, default: "" } }, [])), []],
  [
    keyed(item({ k: { ...text, nullable: true } })),
    [`s.items.properties[k].nullable: Forbidden: ${keyText} cannot be nullable`],
  ],
  [
    keyed(item({ k: { ...text, nullable: true }, l: text }, ["l"]), ["k", "x", "l"]),
    [
      's.x-kubernetes-list-map-keys: Invalid value: ["k","x","l"]: entries must all be names of item properties',
      `s.items.properties[k].default: Required value: ${keyText} must have a default or be a required property`,
      `s.items.properties[k].nullable: Forbidden: ${keyText} cannot be nullable`,
    ],
  ],
  [
    keyed({ ...item({ k: text }), nullable: true }),
    ["s.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map"],
  ],
  [
    { type: "array", "x-kubernetes-list-map-keys": ["k"] },
    ["s.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
  ],
  [
    list("set", text, { "x-kubernetes-list-map-keys": ["k"] }),
    ['s.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
  ],
  [list("set", text, { "x-kubernetes-list-map-keys": [] }), []],
])("checks the keys of %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const breaks = "Required value: message must be specified if rule contains line breaks";
it.each<readonly [rule: Partial<ValidationRule>, messages: readonly string[]]>([
  [{ rule: "true" }, []],
  [{}, ["rule: Required value: rule is not specified"]],
  [{ rule: " " }, ["rule: Required value: rule is not specified"]],
  [{ rule: "", message: " " }, ["rule: Required value: rule is not specified"]],
  [{ rule: "true", message: " " }, ['message: Invalid value: " ": must be non-empty if specified']],
  [{ rule: "true", message: "a" }, []],
  [{ rule: "true", message: "\na\r" }, []],
  [{ rule: "true", message: "a\nb" }, ['message: Invalid value: "a\\nb": must not contain line breaks']],
  [{ rule: "true", message: "a\rb" }, ['message: Invalid value: "a\\rb": must not contain line breaks']],
  [{ rule: "\ntrue\n" }, []],
  [{ rule: "true &&\nfalse" }, [`message: ${breaks}`]],
  [{ rule: "true &&\rfalse" }, [`message: ${breaks}`]],
  [{ rule: "true &&\nfalse", message: "a" }, []],
  [
    { rule: "true", messageExpression: " " },
    ["messageExpression: Required value: messageExpression must be non-empty if specified"],
  ],
  [{ rule: "true", messageExpression: "'a'" }, []],
  ...reasons.map((reason) => [{ rule: "true", reason }, []] as const),
  [
    { rule: "true", reason: "Other" },
    [`reason: Unsupported value: "Other": supported values: ${reasons.map((r) => `"${r}"`).join(", ")}`],
  ],
  [{ rule: "true", fieldPath: ".a" }, []],
  [{ rule: "true", fieldPath: ".b" }, ['fieldPath: Invalid value: ".b": must be a valid path']],
  [
    { rule: "true", fieldPath: " " },
    [
      'fieldPath: Invalid value: " ": must be non-empty if specified',
      'fieldPath: Invalid value: " ": must be a valid path',
    ],
  ],
  [
    { rule: "true", fieldPath: ".a\n" },
    [
      'fieldPath: Invalid value: ".a\\n": must not contain line breaks',
      'fieldPath: Invalid value: ".a\\n": must be a valid path',
    ],
  ],
])("checks the form of the rule %j", (rule, messages) => {
  const schema: object = { properties: { a: text }, "x-kubernetes-validations": [{ rule: "true" }, rule] };
  expect(errors(schema)).toEqual(messages.map((message) => `s.x-kubernetes-validations[1].${message}`));
});
