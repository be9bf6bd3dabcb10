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

it("returns nothing for schemas without rules", () => {
  expect(RuleValidator.of({ type: "object", properties: { a: text } }, true)).toBeUndefined();
});

describe("a violated rule", () => {
  it.each<[Partial<ValidationRule>, string]>([
    [{}, "spec: Invalid value: failed rule: self.n > 1"],
    [{ message: " too small " }, "spec: Invalid value: too small"],
    [{ messageExpression: "'n is %d'.format([self.n])" }, "spec: Invalid value: n is 1"],
    [{ message: "plain", messageExpression: "string(1 / (self.n - 1))" }, "spec: Invalid value: plain"],
    [{ message: "m", reason: "FieldValueForbidden" }, "spec: Forbidden: m"],
    [{ message: "m", reason: "FieldValueRequired" }, "spec: Required value: m"],
    [{ message: "m", reason: "FieldValueDuplicate" }, "spec: Duplicate value"],
    [{ fieldPath: ".n" }, "spec.n: Invalid value: failed rule: self.n > 1"],
    [{ fieldPath: ".nope" }, "spec: Invalid value: failed rule: self.n > 1"],
    [{ messageExpression: "' a '" }, "spec: Invalid value: a"],
    [{ message: "plain", messageExpression: "' '" }, "spec: Invalid value: plain"],
    [{ message: "plain", messageExpression: String.raw`'a\nb'` }, "spec: Invalid value: plain"],
    [{ message: "plain", messageExpression: "self.n" }, "spec: Invalid value: plain"],
    [{ message: "plain", messageExpression: "self.nope" }, "spec: Invalid value: plain"],
  ])("is reported with %j", (rest, message) => {
    expect(errorsOf(on({ n: number }, { rule: "self.n > 1", ...rest }), { n: 1 })).toEqual([message]);
  });

  it("takes messages of up to five KiB from its expression", () => {
    const detailOf = (length: number): string | undefined =>
      errorsOf(on({ s: text }, { rule: "false", message: "plain", messageExpression: "self.s" }), {
        s: "é".repeat(length / 2),
      })[0];
    expect(detailOf(5 * 1024)).toMatch(/: é+$/);
    expect(detailOf(5 * 1024 + 2)).toMatch(/: plain$/);
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
  ])("reports the reason: %s", (expression, message) => {
    const schema = on({ n: number, m: number, either: { "x-kubernetes-int-or-string": true } }, { rule: expression });
    expect(errorsOf(schema, { n: 1, either: 5 })).toEqual([message]);
  });

  it("ends the evaluation if it costs too much", () => {
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

describe("the budget of an evaluation", () => {
  const [long, short] = ["a".repeat(20_000), "b".repeat(4_000)]; // finding one in the other costs 800,000
  const costly = "self.a.contains(self.b)";
  const items = (count: number): object[] => Array.from({ length: count }, () => ({ a: long, b: short }));
  const listOf = (...rules: readonly ValidationRule[]): JsonSchema => ({
    ...{ type: "array", items: on({ a: text, b: text }, ...rules) },
  });

  it("ends with the rule that exceeds it", () => {
    const schema = listOf({ rule: `!${costly}` });
    expect(errorsOf(schema, items(12))).toEqual([]);
    expect(errorsOf(schema, items(14))).toEqual([
      `spec[12]: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run`,
    ]);
  });

  it("counts message expressions", () => {
    const schema = listOf({ rule: "false", messageExpression: `${costly} ? 'x' : 'y'` });
    expect(errorsOf(schema, items(12))).toEqual(Array.from({ length: 12 }, (_, i) => `spec[${i}]: Invalid value: y`));
    expect(errorsOf(schema, items(14)).slice(12)).toEqual([
      `spec[12]: Invalid value: "object": messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run`,
    ]);
  });

  it("ends with a message expression that costs too much at once", () => {
    const messageExpression = `${costly} || (self.b + 'x').contains(self.b) ? 'x' : 'y'`;
    const schema = listOf({ rule: "false", messageExpression: `${messageExpression} + self.a.replace('a', self.b)` });
    expect(errorsOf(schema, [{ a: long.repeat(2), b: short }, ...items(1)])).toEqual([
      expect.stringContaining(
        `spec[0]: Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for messageExpression: "`,
      ),
    ]);
  });
});

describe("a rule of a node", () => {
  it.each<readonly [place: string, schema: JsonSchema, value: unknown]>([
    ["spec", on({}, { rule: "false" }), {}],
    ["spec.a", on({ a: { type: "object", ...rule("false") } }), { a: {}, b: 1 }],
    ["spec[a]", { type: "object", additionalProperties: { type: "object", ...rule("false") } }, { a: {} }],
    ["spec[0]", { type: "array", items: { type: "object", ...rule("false") } }, [{}]],
    [
      "spec[0].a[b]",
      { type: "array", items: on({ a: { type: "object", additionalProperties: on({}, { rule: "false" }) } }) },
      [{ a: { b: {} } }],
    ],
  ])("is evaluated at %s", (place, schema, value) => {
    expect(errorsOf(schema, value)).toEqual([`${place}: Invalid value: failed rule: false`]);
  });

  it("is not evaluated for null, nor where the value is of another kind", () => {
    const schema = on({
      a: { ...text, nullable: true, ...rule("false") },
      l: { type: "array", items: { ...text, ...rule("false") } },
    });
    expect(errorsOf(schema, { a: null, l: "x" })).toEqual([]);
  });

  it("is reported if it does not compile, and the next is evaluated", () => {
    expect(errorsOf(on({}, { rule: "self.x" }, { rule: "" }, { rule: "false" }), {})).toEqual([
      expect.stringMatching(/^spec: Invalid value: "object": rule compile error: compilation failed: ERROR: /),
      "spec: Invalid value: failed rule: false",
    ]);
  });

  it("knows metadata only in resources", () => {
    const schema = on({}, { rule: "self.metadata.name == 'x'" });
    const resource = { metadata: { name: "x" } };
    expect(RuleValidator.of(schema, true)?.validate(resource, undefined, FieldPath.root).errors).toEqual([]);
    expect(errorsOf(schema, resource)).toHaveLength(1);
    expect(errorsOf(on({ e: { ...schema, "x-kubernetes-embedded-resource": true } }), { e: resource })).toEqual([]);
  });
});

describe("a transition rule", () => {
  it("is evaluated only if there is an old value", () => {
    const schema = on({ a: { ...text, ...rule("self == oldSelf") } });
    expect(errorsOf(schema, { a: "x" })).toEqual([]);
    expect(errorsOf(schema, { a: "x" }, {})).toEqual([]);
    expect(errorsOf(schema, { a: "x" }, { a: "y" })).toEqual([
      `spec.a: Invalid value: "x": failed rule: self == oldSelf`,
    ]);
  });

  it("is evaluated without an old value if that is optional", () => {
    const optional = { rule: "oldSelf.hasValue() || self == 1", optionalOldSelf: true };
    const schema = on({ n: { ...number, "x-kubernetes-validations": [optional] } });
    expect(errorsOf(schema, { n: 2 })).toHaveLength(1);
    expect(errorsOf(schema, { n: 2 }, { n: 1 })).toEqual([]);
    const same = { rule: "oldSelf.orValue(5) == self", optionalOldSelf: true };
    const either = on({ n: { ...number, "x-kubernetes-validations": [same] } });
    expect(errorsOf(either, { n: 5 })).toEqual([]);
    expect(errorsOf(either, { n: 5 }, { n: 4 })).toHaveLength(1);
    expect(errorsOf(either, { n: 5 }, { n: null })).toEqual([]);
  });

  it("is an error even where nothing changed", () => {
    expect(errorsOf(on({ a: { ...text, ...rule("self != oldSelf") } }), { a: "x" }, { a: "x" })).toHaveLength(1);
  });

  it("reads the keys of items with their defaults, and takes the last of several", () => {
    const item = on({ k: { ...text, default: "d" }, v: number }, { rule: "self.v >= oldSelf.v" });
    const keyed: JsonSchema = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
    const old = [{ k: "d", v: 9 }, { v: 5 }, 7];
    expect(errorsOf({ ...keyed, items: item }, [{ k: "d", v: 5 }, 7], old)).toEqual([]);
    expect(errorsOf({ ...keyed, items: item }, [{ v: 4 }], old)).toHaveLength(1);
    expect(errorsOf({ ...keyed, "x-kubernetes-list-type": "set", items: item }, [{ v: 4 }], old)).toEqual([]);
    expect(errorsOf({ ...keyed, items: item }, [{ v: 4 }], { old })).toEqual([]);
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

describe("a previous violation", () => {
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

  it("may stay in an unchanged list", () => {
    expect(find(schema, { list: ["bad"], n: 2 }, { list: ["bad"], n: 1 }).errors).toEqual([]);
    expect(find(schema, { list: ["bad", "x"] }, { list: ["bad"] }).errors).toHaveLength(1);
  });

  it("may not return", () => {
    expect(errorsOf(schema, { a: "bad" }, { a: "good" })).toHaveLength(1);
  });

  it("is an error in a new member of something that changed", () => {
    const nested = on({ o: on({ a: { ...text, ...rule("self != 'bad'") } }) });
    expect(find(nested, { o: { a: "bad" } }, { o: {} }).errors).toHaveLength(1);
    expect(find(nested, { o: { a: "bad" } }, { o: { a: "bad" } }).warnings).toHaveLength(1);
  });

  it.each(["apiVersion", "kind"])("may not stay in %s of the whole", (name) => {
    const typed = on({ [name]: { ...text, ...rule("self != 'bad'") } });
    expect(find(typed, { [name]: "bad" }, { [name]: "bad" }).errors).toHaveLength(1);
    expect(find(on({ a: typed }), { a: { [name]: "bad" } }, { a: { [name]: "bad" } }).warnings).toHaveLength(1);
  });

  it("is an error where the caller wants none to stay", () => {
    const validator = RuleValidator.of(schema, false);
    expect(validator?.validate({ a: "bad" }, { a: "bad" }, FieldPath.of("spec"), false).errors).toHaveLength(1);
  });
});
