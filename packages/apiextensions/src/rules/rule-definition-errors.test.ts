import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { ruleDefinitionErrors } from "./rule-definition-errors.ts";

const errors = (schema: JsonSchema): string[] =>
  ruleDefinitionErrors(schema, FieldPath.of("schema")).map(fieldErrorMessage);

const on = (properties: Readonly<Record<string, JsonSchema>>, ...rules: readonly ValidationRule[]): JsonSchema => ({
  type: "object",
  properties,
  "x-kubernetes-validations": rules,
});
const text: JsonSchema = { type: "string", maxLength: 10 };
const texts: JsonSchema = { type: "array", items: { type: "string" } };
const immutable = { "x-kubernetes-validations": [{ rule: "self == oldSelf" }] };

describe("a rule of a definition", () => {
  it("is fine where it compiles", () => {
    expect(errors(on({ a: text }, { rule: "self.a.startsWith('x')", messageExpression: "'not ' + self.a" }))).toEqual(
      [],
    );
  });

  it("is shown whole, with the place where it is wrong", () => {
    expect(errors(on({ a: text }, { rule: "self.a == self.b", message: "m" }))).toEqual([
      `schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a == self.b","Message":"m","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:15: undefined field 'b'\n | self.a == self.b\n | ..............^`,
    ]);
  });

  it.each<[ValidationRule, string]>([
    [{ rule: "self.a" }, "cel expression must evaluate to a bool"],
    [{ rule: "true", messageExpression: "self" }, "messageExpression must evaluate to a string"],
    [
      { rule: "self.a == string(int('x'))" },
      "program instantiation failed: type conversion error from 'string' to 'int'",
    ],
  ])("must have the right type: %j", (rule, message) => {
    expect(errors(on({ a: text }, rule)).map((error) => error.endsWith(`: ${message}`))).toEqual([true]);
  });

  it("may not use the old value where old and new items cannot be told to belong together", () => {
    const list: JsonSchema = { type: "array", maxItems: 3, items: { ...text, ...immutable } };
    expect(errors(on({ list }))).toEqual([
      'schema.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[list]',
    ]);
  });

  it("may use it in keyed lists and maps", () => {
    const item: JsonSchema = { type: "object", required: ["k"], properties: { k: text }, ...immutable };
    const keyed: JsonSchema = {
      type: "array",
      maxItems: 3,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: item,
    };
    const map: JsonSchema = { type: "object", maxProperties: 3, additionalProperties: { ...text, ...immutable } };
    expect(errors(on({ keyed, map }))).toEqual([]);
  });

  it("may not declare the old value optional without using it", () => {
    expect(errors(on({ a: text }, { rule: "true", optionalOldSelf: true }))).toEqual([
      "schema.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ]);
  });

  it("may not cost more than its budget", () => {
    expect(errors(on({ texts }, { rule: "self.texts.all(x, x.contains('a'))" }))).toEqual([
      "schema.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
      "schema.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ]);
  });

  it("needs to know a type", () => {
    const free: JsonSchema = {
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "true" }],
    };
    expect(errors(on({ free }))).toEqual([
      "schema.properties[free].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
    ]);
  });

  it("is not looked at where the schema is wrong otherwise", () => {
    expect(errors({ ...on({ a: text }, { rule: "self.b" }), uniqueItems: true })).toEqual([]);
  });
});
