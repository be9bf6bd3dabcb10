import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { structuralErrors } from "./structural-rules.ts";

const errors = (schema: JsonSchema): string[] => structuralErrors(schema, FieldPath.of("s")).map(fieldErrorMessage);
const root = (a: JsonSchema): JsonSchema => ({ type: "object", properties: { a } });
const ofField = (a: JsonSchema): string[] => errors(root(a)).map((message) => message.replace("s.properties[a].", ""));

const text: JsonSchema = { type: "string" };
const intOrString = [{ type: "integer" }, { type: "string" }];
const embedded: JsonSchema = { type: "object", "x-kubernetes-embedded-resource": true };
const notIntOrString = "Invalid value: true: must be false if x-kubernetes-int-or-string is true";
const notEmpty =
  "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";

it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [{ type: "object" }, []],
  [{}, ["s.type: Required value: must not be empty at the root"]],
  [text, ['s.type: Invalid value: "string": must be object at the root']],
  [{ "x-kubernetes-preserve-unknown-fields": true }, []],
  [{ type: "object", additionalProperties: text }, ["s.additionalProperties: Forbidden: must not be used at the root"]],
  [
    { type: "object", additionalProperties: false },
    ["s.additionalProperties: Forbidden: must not be used at the root"],
  ],
])("needs an object at the root: %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [text, []],
  [{}, ["type: Required value: must not be empty for specified object fields"]],
  [{ "x-kubernetes-int-or-string": true }, []],
  [{ "x-kubernetes-preserve-unknown-fields": true }, []],
  [{ type: "array" }, ["items: Required value: must be specified"]],
  [{ type: "array", items: text }, []],
  [{ type: "array", items: {} }, ["items.type: Required value: must not be empty for specified array items"]],
  [{ type: "object", additionalProperties: text }, []],
  [{ type: "object", additionalProperties: true }, []],
  [
    { type: "object", additionalProperties: {} },
    ["additionalProperties.type: Required value: must not be empty for specified object fields"],
  ],
  [
    { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
    [`x-kubernetes-preserve-unknown-fields: ${notIntOrString}`],
  ],
  [
    {
      ...embedded,
      "x-kubernetes-int-or-string": true,
      properties: { a: text },
    },
    [`x-kubernetes-embedded-resource: ${notIntOrString}`],
  ],
  [{ ...embedded, properties: { a: text } }, []],
  [{ ...embedded, "x-kubernetes-preserve-unknown-fields": true }, []],
  [embedded, [`properties: Required value: ${notEmpty}`]],
  [
    { ...embedded, type: "string", properties: { a: text } },
    ['type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
  ],
  [
    { "x-kubernetes-embedded-resource": true, properties: { a: text } },
    ["type: Required value: must be object if x-kubernetes-embedded-resource is true"],
  ],
  [
    { ...embedded, properties: {}, additionalProperties: text },
    [
      "additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      `properties: Required value: ${notEmpty}`,
    ],
  ],
  [{ ...text, pattern: "^a$" }, []],
  [
    { ...text, pattern: "(" },
    [expect.stringMatching(/^pattern: Invalid value: "\(": must be a valid regular expression, but isn't: ./)],
  ],
])("checks the field %j", (schema, messages) => {
  expect(ofField(schema)).toEqual(messages);
});

it("sorts errors by their text", () => {
  expect(
    errors({ type: "object", properties: { b: {}, a: {}, c: {} } }).map((message) => message.slice(0, 15)),
  ).toEqual(["s.properties[a]", "s.properties[b]", "s.properties[c]"]);
});

describe("the members of every resource", () => {
  const onlyNames =
    "Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified";
  it.each<readonly [properties: Readonly<Record<string, JsonSchema>>, messages: readonly string[]]>([
    [{ kind: text, apiVersion: text, metadata: { type: "object" } }, []],
    [{ kind: { type: "integer" } }, ['[kind].type: Invalid value: "integer": must be string']],
    [{ apiVersion: { type: "integer" } }, ['[apiVersion].type: Invalid value: "integer": must be string']],
    [{ kind: { "x-kubernetes-preserve-unknown-fields": true } }, ['[kind].type: Invalid value: "": must be string']],
    [{ metadata: text }, ['[metadata].type: Invalid value: "string": must be object']],
    [
      { metadata: { "x-kubernetes-preserve-unknown-fields": true } },
      ['[metadata].type: Invalid value: "": must be object', `[metadata]: ${onlyNames}`],
    ],
    [
      {
        metadata: {
          ...{ type: "object", description: "d", default: {} },
          properties: { name: text, generateName: text },
        },
      },
      [],
    ],
    [{ metadata: { type: "object", title: "t" } }, [`[metadata]: ${onlyNames}`]],
    [{ metadata: { type: "object", properties: { labels: text, name: text } } }, [`[metadata]: ${onlyNames}`]],
  ])("are hardly restricted: %j", (properties, messages) => {
    expect(errors({ type: "object", properties })).toEqual(messages.map((message) => `s.properties${message}`));
  });

  it("are checked in embedded resources, whose metadata may be specified", () => {
    const properties: JsonSchema["properties"] = {
      kind: { type: "integer" },
      metadata: { type: "object", properties: { labels: { type: "object" } } },
    };
    expect(ofField({ ...embedded, properties })).toEqual([
      'properties[kind].type: Invalid value: "integer": must be string',
    ]);
    expect(ofField({ type: "object", properties })).toEqual([]);
  });
});

describe("within a combination", () => {
  it.each<readonly [member: keyof JsonSchema, value: unknown, state: string]>([
    ["type", "string", "empty"],
    ["additionalProperties", {}, "undefined"],
    ["default", 0, "undefined"],
    ["title", "t", "empty"],
    ["description", "d", "empty"],
    ["nullable", true, "false"],
    ["x-kubernetes-preserve-unknown-fields", true, "false"],
    ["x-kubernetes-embedded-resource", true, "false"],
    ["x-kubernetes-int-or-string", true, "false"],
    ["x-kubernetes-list-map-keys", ["k"], "empty"],
    ["x-kubernetes-list-type", "set", "undefined"],
    ["x-kubernetes-map-type", "atomic", "undefined"],
    ["x-kubernetes-validations", [{ rule: "true" }], "empty"],
  ])("%s is forbidden", (member, value, state) => {
    const inner = { [member]: value };
    const message = `${member}: Forbidden: must be ${state} to be structural`;
    expect(ofField({ ...text, anyOf: [{}, inner] })).toEqual([`anyOf[1].${message}`]);
    expect(ofField({ ...text, oneOf: [{}, inner] })).toEqual([`oneOf[1].${message}`]);
    expect(ofField({ ...text, allOf: [{}, inner] })).toEqual([`allOf[1].${message}`]);
    expect(ofField({ ...text, not: inner })).toEqual([`not.${message}`]);
  });

  it.each<JsonSchema>([{ title: "" }, { nullable: false }, { minLength: 1 }, { pattern: "a", enum: ["a"] }])(
    "%j is allowed",
    (inner) => {
      expect(ofField({ ...text, anyOf: [inner], oneOf: [inner], allOf: [inner], not: inner })).toEqual([]);
    },
  );

  it.each<readonly [place: string, inner: JsonSchema]>([
    ["items", { items: text }],
    ["properties[b]", { properties: { b: text } }],
    ["allOf[0]", { allOf: [text] }],
    ["oneOf[0]", { oneOf: [text] }],
    ["anyOf[0]", { anyOf: [text] }],
    ["not", { not: text }],
  ])("nested schemas are checked at %s", (place, inner) => {
    expect(ofField({ type: "array", items: text, anyOf: [inner] })).toContain(
      `anyOf[0].${place}.type: Forbidden: must be empty to be structural`,
    );
  });

  it("patterns are checked, and metadata is forbidden", () => {
    expect(ofField({ ...text, anyOf: [{ pattern: "(" }] })[0]).toMatch(/^anyOf\[0\]\.pattern: Invalid value/);
    expect(ofField({ ...root(text), properties: { metadata: text }, not: { properties: { metadata: {} } } })).toEqual([
      "not.properties[metadata]: Forbidden: must not be specified in a nested context",
    ]);
  });

  it("the types of an integer or string are allowed first", () => {
    const either: JsonSchema = { "x-kubernetes-int-or-string": true };
    const forbidden = (...places: readonly string[]): string[] =>
      places.map((place) => `${place}.type: Forbidden: must be empty to be structural`);
    expect(ofField({ ...either, anyOf: intOrString })).toEqual([]);
    expect(ofField({ ...either, allOf: [{ anyOf: intOrString }, { not: { enum: ["x"] } }] })).toEqual([]);
    expect(ofField({ ...either, anyOf: intOrString.toReversed() })).toEqual(forbidden("anyOf[0]", "anyOf[1]"));
    expect(ofField({ ...either, oneOf: intOrString })).toEqual(forbidden("oneOf[0]", "oneOf[1]"));
    expect(ofField({ ...either, allOf: [{}, { anyOf: intOrString }] })).toEqual(
      forbidden("allOf[1].anyOf[0]", "allOf[1].anyOf[1]"),
    );
    expect(ofField({ ...either, not: { allOf: [{ anyOf: intOrString }] } })).toEqual(
      forbidden("not.allOf[0].anyOf[0]", "not.allOf[0].anyOf[1]"),
    );
    expect(ofField({ ...either, not: { anyOf: intOrString } })).toEqual(forbidden("not.anyOf[0]", "not.anyOf[1]"));
  });
});

describe("a combination at the root", () => {
  const whole: JsonSchema = { type: "object", properties: { a: root(text), l: { type: "array", items: text } } };
  const deep = (leaf: JsonSchema): JsonSchema => ({ properties: { a: { properties: { b: leaf } } } });
  const because = (place: string, name = "s.properties[a].properties[b]"): string =>
    `${name}: Required value: because it is defined in s.${place}`;

  it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
    [{ anyOf: [{ properties: { a: { properties: { a: {} } } } }] }, []],
    [{ anyOf: [{}, deep({})] }, [because("anyOf[1].properties[a].properties[b]")]],
    [{ allOf: [deep({})] }, [because("allOf[0].properties[a].properties[b]")]],
    [{ oneOf: [deep({})] }, [because("oneOf[0].properties[a].properties[b]")]],
    [{ not: deep({}) }, [because("not.properties[a].properties[b]")]],
    [{ not: { not: deep({}) } }, [because("not.not.properties[a].properties[b]")]],
    [{ anyOf: [{ oneOf: [deep({})] }] }, [because("anyOf[0].oneOf[0].properties[a].properties[b]")]],
    [{ anyOf: [{ allOf: [deep({})] }] }, [because("anyOf[0].allOf[0].properties[a].properties[b]")]],
    [{ oneOf: [{ anyOf: [deep({})] }] }, [because("oneOf[0].anyOf[0].properties[a].properties[b]")]],
    [{ not: { properties: { l: { items: {} } } } }, []],
    [
      { not: { properties: { l: { items: { items: {} } } } } },
      [because("not.properties[l].items.items", "s.properties[l].items.items")],
    ],
  ])("names only what is specified outside of it: %j", (schema, messages) => {
    expect(errors({ ...whole, ...schema })).toEqual(messages);
  });
});
