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
  it("is valid if it compiles", () => {
    expect(errors(on({ a: text }, { rule: "self.a.startsWith('x')", messageExpression: "'not ' + self.a" }))).toEqual(
      [],
    );
  });

  it("is shown completely, with the position of the error", () => {
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

  it("may not use the old value if old and new items cannot be correlated", () => {
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

  it("may not exceed its cost budget", () => {
    expect(errors(on({ texts }, { rule: "self.texts.all(x, x.contains('a'))" }))).toEqual([
      "schema.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
      "schema.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ]);
  });

  it("needs a known type", () => {
    const free: JsonSchema = {
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "true" }],
    };
    expect(errors(on({ free }))).toEqual([
      "schema.properties[free].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
    ]);
  });

  it("is not checked if the schema has other errors", () => {
    expect(errors({ ...on({ a: text }, { rule: "self.b" }), uniqueItems: true })).toEqual([]);
  });

  it.each<readonly [expression: string, message: RegExp]>([
    ["self.b", /^messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'b'/],
    ["string(int('x'))", /^messageExpression instantiation failed: type conversion error from 'string' to 'int'$/],
  ])("must have a message expression that compiles: %s", (messageExpression, message) => {
    const [found = "", ...others] = errors(on({ a: text }, { rule: "true", messageExpression }));
    expect(others).toEqual([]);
    expect(found).toMatch(/^schema\.x-kubernetes-validations\[0\]\.messageExpression: Invalid value: \{"Rule":"true",/);
    expect(found.replace(/^.*"OptionalOldSelf":null\}: /s, "")).toMatch(message);
  });

  it("reports what is wrong with the rule before its message, and children before their parent", () => {
    const wrong: ValidationRule = { rule: "self.x", messageExpression: "self.y" };
    const places = errors({
      ...on({ a: { ...text, "x-kubernetes-validations": [wrong] } }, wrong, { rule: "true" }, wrong),
    });
    expect(places.map((message) => message.slice(0, message.indexOf(":")))).toEqual([
      "schema.properties[a].x-kubernetes-validations[0].rule",
      "schema.x-kubernetes-validations[0].rule",
      "schema.x-kubernetes-validations[2].rule",
    ]);
  });

  const uncorrelatable = (place: string): string =>
    `oldSelf cannot be used on the uncorrelatable portion of the schema within schema.${place}`;
  const leaf = { ...text, ...immutable };
  const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
    ...{ type: "array", maxItems: 3, items },
    ...more,
  });
  it.each<readonly [place: string, schema: JsonSchema]>([
    ["properties[a]", list(on({ b: leaf }))],
    ["properties[a].items", list(list(leaf))],
    ["properties[a].items", list(list(leaf), { "x-kubernetes-list-type": "map" })],
    ["properties[a]", list(list(leaf, { "x-kubernetes-list-type": "map" }))],
    ["properties[a]", list(leaf, { "x-kubernetes-list-type": "set" })],
    ["properties[a]", { ...on({ b: leaf }), "x-kubernetes-map-type": "other" }],
  ])("may not use the old value below %s", (place, schema) => {
    const found = errors(on({ a: schema }));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(uncorrelatable(place));
  });

  it.each(["atomic", "granular"])("may use the old value in a map of type %s", (mapType) => {
    expect(errors(on({ a: { ...on({ b: leaf }), "x-kubernetes-map-type": mapType } }))).toEqual([]);
  });

  it.each([true, false])("may not say whether the old value is optional without using it: %s", (optionalOldSelf) => {
    expect(errors(on({ a: text }, { rule: "true", optionalOldSelf }))).toHaveLength(1);
    expect(
      errors(on({ a: text }, { rule: optionalOldSelf ? "oldSelf.hasValue()" : "self == oldSelf", optionalOldSelf })),
    ).toEqual([]);
  });

  it("knows metadata in resources, embedded ones too", () => {
    const named = on({}, { rule: "self.metadata.name != 'x'.substring(0, 1)" });
    const limited = on({}, { rule: "has(self.metadata.name)" });
    expect(errors(limited)).toEqual([]);
    expect(errors(on({ e: { ...limited, "x-kubernetes-embedded-resource": true } }))).toEqual([]);
    expect(errors(on({ e: named }))).toHaveLength(1);
  });
});

describe("the estimated cost", () => {
  const hint =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
  const excess = (what: string, factor: string): string =>
    `Forbidden: estimated ${what} cost exceeds budget by factor of ${factor} ${hint}`;
  const contributed =
    "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const total = (factor: string): string =>
    `schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of ${factor} ${hint}`;
  /** Costs one for each value. */
  const flag: JsonSchema = { type: "boolean", "x-kubernetes-validations": [{ rule: "self" }] };
  const list = (maxItems: number, items = flag): JsonSchema => ({ type: "array", maxItems, items });
  const map = (maxProperties: number, additionalProperties = flag): JsonSchema => ({
    ...{ type: "object", maxProperties, additionalProperties },
  });
  const of = (a: JsonSchema): string[] =>
    errors(on({ a })).map((message) =>
      message.replace(/^schema\.properties\[a\]\.(.*)x-kubernetes-validations\[0\]\./, ""),
    );

  it.each<readonly [title: string, schema: JsonSchema, factor: string | undefined]>([
    ["a list of as many as are allowed", list(10_000_000), undefined],
    ["a list of one more", list(10_000_001), "1.000000x"],
    ["a list of half as many again", list(15_000_000), "1.5x"],
    ["a list of fewer than that", list(14_900_000), "1.490000x"],
    ["a list of ten times as many", list(100_000_000), "10.0x"],
    ["a list of less than nothing", list(-5_000_000, list(-20)), undefined],
    ["a map", map(20_000_000), "2.0x"],
    ["a map of less than nothing", map(-5_000_000, map(-20)), undefined],
    ["lists within lists", list(4_000, list(5_000)), "2.0x"],
    ["lists within maps", map(4_000, list(5_000)), "2.0x"],
    ["objects within lists", list(20_000_000, { type: "object", properties: { b: flag } }), "2.0x"],
    ["members of an object", { type: "object", maxProperties: 20_000_000, properties: { b: flag } }, undefined],
    ["a list without limit", { type: "array", items: flag }, undefined],
    ["a map without limit", { type: "object", additionalProperties: flag }, undefined],
    ["lists within a list without limit", { type: "array", items: list(20_000_000) }, undefined],
    [
      "longer values of a list without limit",
      {
        type: "array",
        items: { type: "string", maxLength: 100, "x-kubernetes-validations": [{ rule: "self.contains('a')" }] },
      },
      "4.3x",
    ],
  ])("of %s", (_title, schema, factor) => {
    expect(of(schema)).toEqual(factor === undefined ? [] : [`rule: ${excess("rule", factor)}`]);
  });

  it("is also limited in total, and names the four rules that cost most", () => {
    const lists = (...counts: readonly number[]): JsonSchema =>
      on(Object.fromEntries(counts.map((count, i) => [`l${i}`, list(count)])));
    expect(errors(lists(...Array.from({ length: 10 }, () => 10_000_000)))).toEqual([]);
    const most = [3, 0, 1, 2].map(
      (i) => `schema.properties[l${i}].items.x-kubernetes-validations[0].rule: ${contributed}`,
    );
    expect(errors(lists(...Array.from({ length: 12 }, (_, i) => (i === 3 ? 10_000_000 : 9_900_000))))).toEqual([
      ...most,
      total("1.189000x"),
    ]);
    expect(errors(lists(200_000_000, 999_999, 1_000_000)).slice(1)).toEqual([
      ...[0, 2].map((i) => `schema.properties[l${i}].items.x-kubernetes-validations[0].rule: ${contributed}`),
      total("2.0x"),
    ]);
  });

  it("counts nothing for rules that do not compile", () => {
    const wrong: JsonSchema = { type: "boolean", "x-kubernetes-validations": [{ rule: "self.x" }] };
    expect(of(list(1_000_000_000, wrong))).toEqual([expect.stringMatching(/^rule: Invalid value/)]);
  });

  it("includes message expressions, once", () => {
    const costly: ValidationRule = {
      rule: "true",
      messageExpression: "self.texts.all(x, x.contains('a')) ? 'a' : 'b'",
    };
    expect(errors(on({ texts }, costly))).toEqual([
      `schema.x-kubernetes-validations[0].messageExpression: ${excess("messageExpression", "more than 100x")}`,
      `schema.x-kubernetes-validations[0].messageExpression: ${contributed}`,
      total("more than 100x"),
    ]);
    const cheap = { ...flag, "x-kubernetes-validations": [{ rule: "true", messageExpression: "self ? 'a' : 'b'" }] };
    expect(of(list(1_000_000_000, cheap))).toEqual([]);
  });
});
