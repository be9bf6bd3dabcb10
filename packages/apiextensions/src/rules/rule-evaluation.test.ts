import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { JsonSchema, ValidationRule } from "../definition/definition.ts";
import { RuleValidator } from "./rule-evaluation.ts";

const find = (schema: JsonSchema, value: unknown, old?: unknown): { errors: string[]; warnings: string[] } => {
  const found = RuleValidator.of(schema, false)?.validate(value, old, FieldPath.of("spec"));
  return {
    errors: (found?.errors ?? []).map(fieldErrorMessage),
    warnings: (found?.warnings ?? []).map(fieldErrorMessage),
  };
};
const errorsOf = (schema: JsonSchema, value: unknown, old?: unknown): string[] => find(schema, value, old).errors;

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "integer" };
const on = (properties: Readonly<Record<string, JsonSchema>>, ...rules: readonly ValidationRule[]): JsonSchema => ({
  type: "object",
  properties,
  "x-kubernetes-validations": rules,
});
const rule = (expression: string): Pick<JsonSchema, "x-kubernetes-validations"> => ({
  "x-kubernetes-validations": [{ rule: expression }],
});

it("has nothing to say of schemas without rules", () => {
  expect(RuleValidator.of({ type: "object", properties: { a: text } }, true)).toBeUndefined();
});

describe("a rule that does not hold", () => {
  it.each<[Partial<ValidationRule>, string]>([
    [{}, "spec: Invalid value: failed rule: self.n > 1"],
    [{ message: " too small " }, "spec: Invalid value: too small"],
    [{ messageExpression: "'n is %d'.format([self.n])" }, "spec: Invalid value: n is 1"],
    [{ message: "plain", messageExpression: "string(1 / (self.n - 1))" }, "spec: Invalid value: plain"],
    [{ message: "m", reason: "FieldValueForbidden" }, "spec: Forbidden: m"],
    [{ message: "m", reason: "FieldValueRequired" }, "spec: Required value: m"],
    [{ message: "m", reason: "FieldValueDuplicate" }, "spec: Duplicate value"],
    [{ fieldPath: ".n" }, "spec.n: Invalid value: failed rule: self.n > 1"],
  ])("is told with %j", (rest, message) => {
    expect(errorsOf(on({ n: number }, { rule: "self.n > 1", ...rest }), { n: 1 })).toEqual([message]);
  });

  it("shows values of scalars only", () => {
    const schema: JsonSchema = {
      type: "array",
      items: { ...text, ...rule("self != 'b'") },
      ...rule("self.size() < 2"),
    };
    expect(errorsOf(schema, ["a", "b"])).toEqual([
      "spec: Invalid value: failed rule: self.size() < 2",
      `spec[1]: Invalid value: "b": failed rule: self != 'b'`,
    ]);
  });
});

describe("a rule that cannot be evaluated", () => {
  it.each([
    ["self.m == 1", 'spec: Invalid value: "object": no such key: m evaluating rule: self.m == 1'],
    [
      "self.either.startsWith('a')",
      `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.either.startsWith('a')`,
    ],
    ["self.n / 0 == 1", 'spec: Invalid value: "object": division by zero evaluating rule: self.n / 0 == 1'],
  ])("says why: %s", (expression, message) => {
    const schema = on({ n: number, m: number, either: { "x-kubernetes-int-or-string": true } }, { rule: expression });
    expect(errorsOf(schema, { n: 1, either: 5 })).toEqual([message]);
  });

  it("ends everything where it costs too much", () => {
    const schema = on(
      { list: { type: "array", items: number } },
      { rule: "self.list.all(a, self.list.all(b, self.list.all(c, a + b + c < 1000000)))", message: "sums" },
      { rule: "false" },
    );
    expect(errorsOf(schema, { list: Array.from({ length: 100 }, (_, i) => i) })).toEqual([
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: sums`,
    ]);
  });
});

describe("a transition rule", () => {
  it("is evaluated only where there is an old value", () => {
    const schema = on({ a: { ...text, ...rule("self == oldSelf") } });
    expect(errorsOf(schema, { a: "x" })).toEqual([]);
    expect(errorsOf(schema, { a: "x" }, {})).toEqual([]);
    expect(errorsOf(schema, { a: "x" }, { a: "y" })).toEqual([
      `spec.a: Invalid value: "x": failed rule: self == oldSelf`,
    ]);
  });

  it("is evaluated without one where it takes an optional", () => {
    const optional = { rule: "oldSelf.hasValue() || self == 1", optionalOldSelf: true };
    const schema = on({ n: { ...number, "x-kubernetes-validations": [optional] } });
    expect(errorsOf(schema, { n: 2 })).toHaveLength(1);
    expect(errorsOf(schema, { n: 2 }, { n: 1 })).toEqual([]);
  });

  it("finds items of keyed lists by their keys", () => {
    const item: JsonSchema = { ...on({ k: text, v: number }), ...rule("self.v >= oldSelf.v") };
    const schema: JsonSchema = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: item,
    };
    const old = [
      { k: "a", v: 5 },
      { k: "b", v: 6 },
    ];
    const next = [
      { k: "c", v: 0 },
      { k: "b", v: 6 },
      { k: "a", v: 4 },
    ];
    expect(errorsOf(schema, next, old)).toEqual(["spec[2]: Invalid value: failed rule: self.v >= oldSelf.v"]);
  });
});

describe("what was wrong before", () => {
  const schema = on({
    a: { ...text, ...rule("self != 'bad'") },
    list: { type: "array", items: { ...text, ...rule("self != 'bad'") } },
    n: number,
  });

  it("may stay, with a warning", () => {
    expect(find(schema, { a: "bad", n: 2 }, { a: "bad", n: 1 })).toEqual({
      errors: [],
      warnings: [`spec.a: Invalid value: "bad": failed rule: self != 'bad'`],
    });
  });

  it("may stay in a list that did not change", () => {
    expect(find(schema, { list: ["bad"], n: 2 }, { list: ["bad"], n: 1 }).errors).toEqual([]);
    expect(find(schema, { list: ["bad", "x"] }, { list: ["bad"] }).errors).toHaveLength(1);
  });

  it("may not come back", () => {
    expect(errorsOf(schema, { a: "bad" }, { a: "good" })).toHaveLength(1);
  });
});
