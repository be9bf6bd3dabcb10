import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { defaultErrors } from "./default-validation.ts";

const errors = (schema: JsonSchema): string[] => defaultErrors(schema, FieldPath.of("s")).map(fieldErrorMessage);

const text: JsonSchema = { type: "string" };
const bad: JsonSchema = { type: "string", default: 1 };
const message = (place: string): string =>
  `s.${place}default: Invalid value: "integer":  in body must be of type string: "integer"`;

it.each<readonly [place: string, schema: JsonSchema]>([
  ["", bad],
  ["items.", { items: bad }],
  ["properties[a].", { properties: { a: bad, b: text } }],
  ["additionalProperties.", { additionalProperties: bad }],
  ["items.items.", { items: { items: bad } }],
  ["properties[a].properties[b].", { properties: { a: { properties: { b: bad } } } }],
  ["additionalProperties.additionalProperties.", { additionalProperties: { additionalProperties: bad } }],
])("checks the default at %s", (place, schema) => {
  expect(errors(schema)).toEqual([message(place)]);
});

const object = (value: unknown, more: JsonSchema = {}): JsonSchema => ({
  ...{ type: "object", properties: { a: { type: "string", nullable: true } }, default: value },
  ...more,
});
const rule = (expression: string): JsonSchema => ({ "x-kubernetes-validations": [{ rule: expression }] });
const embedded = { "x-kubernetes-embedded-resource": true } as const;
const named = { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } };
it.each<readonly [schema: JsonSchema, messages: readonly string[]]>([
  [object({ a: "x" }), []],
  [object({ a: null }), []],
  [object({ b: "x" }), ['s.default: Invalid value: {"b":"x"}: must not have unknown fields']],
  [object({ b: "x" }, { "x-kubernetes-preserve-unknown-fields": true }), []],
  [{ type: "object", additionalProperties: text, default: { b: "x" } }, []],
  [object({ a: 1 }), ['s.default.a: Invalid value: "integer": a in body must be of type string: "integer"']],
  [object({ a: "x" }, rule("self.a == 'x'")), []],
  [object({ a: "y" }, rule("self.a == 'x'")), ["s.default: Invalid value: failed rule: self.a == 'x'"]],
  [object({ a: "x" }, rule("self == oldSelf")), []],
  [object({ a: "x" }, rule("self != oldSelf")), ["s.default: Invalid value: failed rule: self != oldSelf"]],
  [
    object({ a: "x" }, { "x-kubernetes-validations": [{ rule: "oldSelf.hasValue()", optionalOldSelf: true }] }),
    ["s.default: Invalid value: failed rule: oldSelf.hasValue()"],
  ],
  [{ properties: { e: object(named, { ...embedded, ...rule("self.metadata.name == 'x'") }) } }, []],
  [
    { properties: { e: object(named, { ...embedded, ...rule("self.metadata.name == 'y'") }) } },
    ["s.properties[e].default: Invalid value: failed rule: self.metadata.name == 'y'"],
  ],
])("checks the value of the default in %j", (schema, messages) => {
  expect(errors(schema)).toEqual(messages);
});

it("lets only rules of resources use metadata", () => {
  const schema = object({ a: "x" }, rule("has(self.metadata)"));
  const refused = expect.stringContaining(
    "rule compile error: compilation failed: ERROR: <input>:1:4: undefined field",
  );
  expect(errors(schema)).toEqual([expect.stringContaining("failed rule: has(self.metadata)")]);
  expect(errors({ properties: { a: schema }, items: schema, additionalProperties: schema })).toEqual([
    refused,
    refused,
    refused,
  ]);
});
