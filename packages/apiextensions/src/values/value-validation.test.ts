import { fieldErrorMessage } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../definition/definition.ts";
import { embeddedResourceErrors } from "./embedded-resources.ts";
import { duplicateItems } from "./list-uniqueness.ts";
import { validateValue } from "./value-validation.ts";

const errors = (value: unknown, schema: JsonSchema, old?: unknown): string[] =>
  validateValue({ f: value }, { type: "object", properties: { f: schema } }, "spec", old).map(fieldErrorMessage);

const ab = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } } as const;
const eitherRequired = [{ required: ["a"] }, { required: ["b"] }];

describe("messages of kube-apiserver", () => {
  it.each<[unknown, JsonSchema, string[]]>([
    [1, { type: "string" }, ['spec.f: Invalid value: "integer": spec.f in body must be of type string: "integer"']],
    [
      1.5,
      { "x-kubernetes-int-or-string": true },
      ['spec.f: Invalid value: "number": spec.f in body must be of type integer,string: "number"'],
    ],
    [
      5,
      { type: "string", format: "date-time" },
      ['spec.f: Invalid value: "int64": spec.f in body must be of type date-time: "int64"'],
    ],
    ["x", { type: "string", format: "uuid" }, ['spec.f: Invalid value: "x": spec.f in body must be of type uuid: "x"']],
    [
      "ab",
      { type: "string", minLength: 3 },
      ['spec.f: Invalid value: "ab": spec.f in body should be at least 3 chars long'],
    ],
    ["abcdef", { type: "string", maxLength: 5 }, ["spec.f: Too long: may not be more than 5 bytes"]],
    [
      "A",
      { type: "string", pattern: "^[a-z]+$" },
      ["spec.f: Invalid value: \"A\": spec.f in body should match '^[a-z]+$'"],
    ],
    [
      "x",
      { type: "string", enum: ["red", "green"] },
      ['spec.f: Unsupported value: "x": supported values: "red", "green"'],
    ],
    [
      -1,
      { type: "integer", minimum: 0 },
      ["spec.f: Invalid value: -1: spec.f in body should be greater than or equal to 0"],
    ],
    [
      10.25,
      { type: "number", maximum: 10, exclusiveMaximum: true },
      ["spec.f: Invalid value: 10.25: spec.f in body should be less than 10"],
    ],
    [7, { type: "integer", multipleOf: 5 }, ["spec.f: Invalid value: 7: spec.f in body should be a multiple of 5"]],
    [
      0,
      { type: "number", multipleOf: 0.5 },
      ["spec.f: Invalid value: 0: factor MultipleOf declared for spec.f must be positive: 0"],
    ],
    [{}, { type: "object", required: ["a"] }, ["spec.f.a: Required value"]],
    [
      ["x"],
      { type: "array", items: { type: "string" }, minItems: 2 },
      ["spec.f: Invalid value: 1: spec.f in body should have at least 2 items"],
    ],
    [
      ["x", "y"],
      { type: "array", items: { type: "string" }, maxItems: 1 },
      ["spec.f: Too many: 2: must have at most 1 item"],
    ],
    [
      {},
      { type: "object", minProperties: 1 },
      ["spec.f: Invalid value: 0: spec.f in body should have at least 1 properties"],
    ],
    [
      {},
      { ...ab, anyOf: eitherRequired },
      ['<nil>: Invalid value: "": "spec.f" must validate at least one schema (anyOf)', "spec.f.a: Required value"],
    ],
    [
      {},
      { ...ab, oneOf: eitherRequired },
      [
        '<nil>: Invalid value: "": "spec.f" must validate one and only one schema (oneOf). Found none valid',
        "spec.f.a: Required value",
      ],
    ],
    [
      { a: "", b: "" },
      { ...ab, oneOf: eitherRequired },
      ['<nil>: Invalid value: "": "spec.f" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      {},
      { ...ab, allOf: eitherRequired },
      [
        "spec.f.a: Required value",
        "spec.f.b: Required value",
        '<nil>: Invalid value: "": "spec.f" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      { a: "" },
      { ...ab, not: { required: ["a"] } },
      ['<nil>: Invalid value: "": "spec.f" must not validate the schema (not)'],
    ],
  ])("%#: %j", (value, schema, texts) => {
    expect(errors(value, schema)).toEqual(texts);
  });
});

const text = 'spec.f: Invalid value: "integer": spec.f in body must be of type string: "integer"';
const object: JsonSchema = { type: "object" };
it.each<readonly [unknown, JsonSchema, readonly string[]]>([
  ["abc", { type: "string", minLength: 3, maxLength: 3 }, []],
  ["é", { type: "string", maxLength: 1 }, []],
  ["abc", { type: "string", pattern: "[" }, []],
  ["2030-01-01", { type: "string", format: "date" }, []],
  [true, { type: "string", format: "date" }, ['spec.f: Invalid value: "": spec.f in body must be of type date: ""']],
  [[], { type: "string", format: "date" }, []],
  [
    null,
    { type: "string", format: "date" },
    ['spec.f: Invalid value: "null": spec.f in body must be of type string: "null"'],
  ],
  [1, { type: "string", format: "" }, [text]],
  [1, { type: "number" }, []],
  [1, { "x-kubernetes-int-or-string": true }, []],
  ["1", { "x-kubernetes-int-or-string": true }, []],
  [
    null,
    { "x-kubernetes-int-or-string": true },
    ['spec.f: Invalid value: "null": spec.f in body must be of type integer,string: "null"'],
  ],
  [null, {}, []],
  [1, {}, []],
  [0, { type: "integer", minimum: 0, maximum: 0 }, []],
  [
    0,
    { type: "integer", minimum: 0, exclusiveMinimum: true },
    ["spec.f: Invalid value: 0: spec.f in body should be greater than 0"],
  ],
  [1, { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true }, []],
  [
    2,
    { type: "integer", maximum: 2, exclusiveMaximum: true },
    ["spec.f: Invalid value: 2: spec.f in body should be less than 2"],
  ],
  [3, { type: "integer", maximum: 2 }, ["spec.f: Invalid value: 3: spec.f in body should be less than or equal to 2"]],
  [1.5, { type: "number", multipleOf: 0.5 }, []],
  [
    1.25,
    { type: "number", multipleOf: 0.5 },
    ["spec.f: Invalid value: 1.25: spec.f in body should be a multiple of 0.5"],
  ],
  [9, { type: "integer", multipleOf: 3.5 }, []],
  [["x"], { type: "array", minItems: 1, maxItems: 1 }, []],
  [
    [1],
    { type: "array", items: { type: "string" } },
    ['spec.f[0]: Invalid value: "integer": spec.f[0] in body must be of type string: "integer"'],
  ],
  [{ a: 1 }, { type: "object", minProperties: 1, maxProperties: 1 }, []],
  [{ a: 1, b: 1 }, { type: "object", maxProperties: 1 }, ["spec.f: Too many: 2: must have at most 1 item"]],
  [
    { x: 1 },
    { ...object, additionalProperties: { type: "string" } },
    ['spec.f.x: Invalid value: "integer": spec.f.x in body must be of type string: "integer"'],
  ],
  [{ x: 1 }, { ...object, additionalProperties: true }, []],
  [{ a: "", x: 1 }, { ...ab, additionalProperties: { type: "integer" } }, []],
  [{ a: "" }, { ...object, required: ["a"] }, []],
  [{ a: null }, { ...object, required: ["a"] }, []],
  [2, { enum: [1, 2] }, []],
  [true, { enum: [1, "x"] }, ['spec.f: Unsupported value: true: supported values: "1", "x"']],
  [{ a: [1] }, { enum: [{ a: [1] }] }, []],
  [{ a: [2] }, { enum: [{ a: [1] }] }, ['spec.f: Unsupported value: {"a":[2]}: supported values: "{\\"a\\":[1]}"']],
  [1, { enum: [] }, []],
  [1, { anyOf: [], oneOf: [], allOf: [] }, []],
  [{ a: "" }, { ...ab, anyOf: eitherRequired, oneOf: eitherRequired, allOf: [{ required: ["a"] }] }, []],
  [{ b: "" }, { ...ab, anyOf: eitherRequired, not: { required: ["a"] } }, []],
  [
    { a: "" },
    { ...ab, allOf: eitherRequired },
    ["spec.f.b: Required value", '<nil>: Invalid value: "": "spec.f" must validate all the schemas (allOf)'],
  ],
])("%#: finds in %s with %j", (value, schema, texts) => {
  expect(errors(value, schema)).toEqual(texts);
});

it("compares numbers of any size with limits", () => {
  expect(errors(1n, { type: "integer", maximum: 1, minimum: 1 })).toEqual([]);
  expect(errors(2n, { type: "integer", maximum: 1 })).toHaveLength(1);
});

it("refers to the whole value without a path", () => {
  expect(validateValue(1, { type: "object" }, "").map(fieldErrorMessage)).toEqual([
    '<nil>: Invalid value: "integer":  in body must be of type object: "integer"',
  ]);
  expect(validateValue({}, { required: ["a"] }, "").map(fieldErrorMessage)).toEqual(["a: Required value"]);
});

it("accepts whole numbers written with a fraction, and null only if permitted", () => {
  expect(errors(5.0, { type: "integer" })).toEqual([]);
  expect(errors(null, { type: "string", nullable: true })).toEqual([]);
  expect(errors(null, { type: "string" })).toHaveLength(1);
});

it("ignores invalid values that did not change", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } },
  };
  const old = { f: { a: "long", b: "x" } };
  expect(errors({ a: "long", b: "y" }, schema, old)).toEqual([]);
  expect(errors({ a: "longer", b: "x" }, schema, old)).toHaveLength(1);
});

it("finds repeated items", () => {
  const items: JsonSchema = { type: "object", properties: { k: { type: "string" } } };
  const map: JsonSchema = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items,
  };
  expect(duplicateItems([{ k: "a" }, { k: "a", v: 1 }], map, "spec.lm").map(fieldErrorMessage)).toEqual([
    'spec.lm[1]: Duplicate value: {"k":"a"}',
  ]);
  const set: JsonSchema = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
  expect(duplicateItems(["a", "a"], set, "spec.set").map(fieldErrorMessage)).toEqual([
    'spec.set[1]: Duplicate value: "a"',
  ]);
});

const keyed = (keys: readonly string[], more: JsonSchema = {}): JsonSchema => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: { type: "object", properties: { k: { type: "string", default: "d" }, l: { type: "string" } } },
  ...more,
});
const set: JsonSchema = { type: "array", "x-kubernetes-list-type": "set" };
const duplicated: readonly (readonly [value: unknown, schema: JsonSchema, found: readonly string[]])[] = [
  [{ a: ["x", "x"] }, { properties: { a: set } }, ['a[1]: Duplicate value: "x"']],
  [{ a: { b: ["x", "x"] } }, { properties: { a: { properties: { b: set } } } }, ['a.b[1]: Duplicate value: "x"']],
  [{ a: ["x", "x"] }, { additionalProperties: set }, ['[a][1]: Duplicate value: "x"']],
  [{ a: ["x", "x"] }, { additionalProperties: true }, []],
  [{ a: ["x", "x"] }, { properties: { a: { type: "object" } }, additionalProperties: set }, []],
  [[["x", "x"], ["y"]], { items: set }, ['[0][1]: Duplicate value: "x"']],
  [["x", "y", 1, "1"], set, []],
  [[1, 1, 1], set, ["[1]: Duplicate value: 1"]],
  [["x", "x"], { type: "array", "x-kubernetes-list-type": "atomic" }, []],
  [["x", "x"], { type: "array" }, []],
  [[1], keyed(["k"]), ["[0]: Invalid value: 1: must be an object for an array of list-type map"]],
  [[{ k: "d" }, {}], keyed(["k"]), ['[1]: Duplicate value: {"k":"d"}']],
  [
    [
      { k: "a", l: "b" },
      { k: "b", l: "b" },
    ],
    keyed(["k", "l"]),
    [],
  ],
  [
    [
      { k: "a", l: "b" },
      { l: "b", k: "a" },
    ],
    keyed(["k", "l"]),
    ['[1]: Duplicate value: {"k":"a","l":"b"}'],
  ],
  [[{}, {}], keyed(["l"]), ["[1]: Duplicate value: {}"]],
];
it.each(duplicated)("finds items of %j by %j", (value, schema, found) => {
  expect(duplicateItems(value, schema, "").map(fieldErrorMessage)).toEqual(found);
});

const embedded: JsonSchema = { type: "object", "x-kubernetes-embedded-resource": true };
const wrong = ["apiVersion", "kind"];
it.each<readonly [schema: JsonSchema, value: unknown, paths: readonly string[]]>([
  [{ properties: { a: embedded } }, { a: {} }, wrong.map((name) => `a.${name}`)],
  [{ properties: { a: { properties: { b: embedded } } } }, { a: { b: {} } }, wrong.map((name) => `a.b.${name}`)],
  [{ additionalProperties: embedded }, { a: {} }, wrong.map((name) => `[a].${name}`)],
  [{ additionalProperties: true }, { a: {} }, []],
  [{ properties: { a: {} }, additionalProperties: embedded }, { a: {} }, []],
  [{ items: embedded }, [{}], wrong.map((name) => `[0].${name}`)],
  [{ type: "array" }, [{}], []],
  [{ properties: { a: embedded } }, { a: 1 }, []],
  [{ properties: { a: embedded } }, { a: { apiVersion: 1, kind: 2 } }, wrong.map((name) => `a.${name}`)],
  [{ properties: { a: embedded } }, { a: { apiVersion: "v1", kind: "Pod" } }, []],
  [{ properties: { a: embedded } }, { a: { apiVersion: "apps/v1", kind: "Pod" } }, []],
])("finds resources by %j", (schema, value, paths) => {
  expect(embeddedResourceErrors(value, schema, "").map(({ field }) => field)).toEqual(paths);
});

it("validates the type of an embedded resource", () => {
  expect(
    embeddedResourceErrors({ apiVersion: "a/b/c", kind: "Bad Kind" }, embedded, "e").map(fieldErrorMessage),
  ).toEqual([
    'e.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    expect.stringMatching(
      /^e\.kind: Invalid value: "Bad Kind": may have mixed case, but should otherwise match: a DNS-1035 label/,
    ),
  ]);
});

it("requires a type of embedded resources", () => {
  const schema: JsonSchema = { type: "object", "x-kubernetes-embedded-resource": true };
  expect(embeddedResourceErrors({}, schema, "spec.emb").map(fieldErrorMessage)).toEqual([
    "spec.emb.apiVersion: Required value",
    "spec.emb.kind: Required value",
  ]);
});

describe("many values with many alternatives", () => {
  const many = Array.from({ length: 1_100 }, (_, i) => `v${i}`);
  const tooMuch = ["spec: Invalid value: has too many values to check against all alternatives in its schema"];
  const items = (schema: JsonSchema): JsonSchema => ({ type: "array", items: schema });

  it.each<readonly [string, unknown, JsonSchema]>([
    ["refused by an enumeration", many.map((text) => `${text}x`), items({ type: "string", enum: many })],
    ["no scalars of an enumeration", many.map((text) => [text]), items({ enum: many })],
    [
      "refused by every alternative",
      many.map(() => ({})),
      items({ anyOf: many.map((name) => ({ required: [name] })) }),
    ],
  ])("are not processed completely if they are %s", (_what, value, schema) => {
    expect(errors(value, schema)).toEqual(tooMuch);
  });

  it("are compared with an enumeration quickly", () => {
    expect(errors(many, items({ type: "string", enum: many }))).toEqual([]);
  });

  it("are all reported, however many errors there are", () => {
    const value = Array.from({ length: 130_000 }, () => 1);
    expect(errors(value, items({ type: "string" })).length).toBe(130_000);
  });
});

it("correlates an item of a keyed list with the first previous one with equal keys", () => {
  const schema: JsonSchema = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a"],
    items: { type: "object", properties: { a: { type: "string" }, b: { type: "string", maxLength: 1 } } },
  };
  const long = { a: "x", b: "long" };
  const old = { f: ["y", long, { a: "x", b: "longer" }] };
  expect(errors([long], schema, old)).toEqual([]);
  expect(errors([{ a: "x", b: "longer" }], schema, old).length).toBe(1);
  expect(errors([{ a: "y", b: "long" }], schema, old).length).toBe(1);
});

it.each<[unknown, JsonSchema, string[]]>([
  [
    1.5,
    { type: "integer" },
    [
      'spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.f',
    ],
  ],
  [
    1e100,
    { type: "integer" },
    [
      'spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.f',
    ],
  ],
  [2n ** 63n - 1n, { type: "integer" }, []],
  [
    2n ** 63n,
    { type: "integer" },
    [
      'spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.f',
    ],
  ],
  [
    1.5,
    { type: "integer", format: "int32" },
    [
      'spec.f: Invalid value: "float64": spec.f in body must be of type int32: "float64"',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.f',
    ],
  ],
  [2 ** 31 - 1, { type: "integer", format: "int32" }, []],
  [-(2 ** 31), { type: "integer", format: "int32" }, []],
  [
    2 ** 31,
    { type: "integer", format: "int32" },
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.f'],
  ],
  [
    -(2 ** 31) - 1,
    { type: "integer", format: "int32" },
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.f'],
  ],
  [true, { type: "integer", format: "int32" }, ['spec.f: Invalid value: "": spec.f in body must be of type int32: ""']],
  [
    "1",
    { type: "integer", format: "int32" },
    ['spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"'],
  ],
  [
    [],
    { type: "integer", format: "int32" },
    ['spec.f: Invalid value: "array": spec.f in body must be of type integer: "array"'],
  ],
  [
    null,
    { type: "integer", format: "int32" },
    ['spec.f: Invalid value: "null": spec.f in body must be of type integer: "null"'],
  ],
  [
    0.1,
    { type: "integer", format: "int64" },
    [
      'spec.f: Invalid value: "float64": spec.f in body must be of type int64: "float64"',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.f',
    ],
  ],
  [
    1.5,
    { type: "integer", format: "uint32" },
    [
      'spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.f',
    ],
  ],
  [
    true,
    { type: "number", format: "int32" },
    ['spec.f: Invalid value: "boolean": spec.f in body must be of type number: "boolean"'],
  ],
  [{}, { type: "number", format: "double" }, ['spec.f: Invalid value: "": spec.f in body must be of type double: ""']],
  [1e100, { type: "number", format: "double" }, []],
  [
    1e100,
    { type: "number", format: "float" },
    ['<nil>: Invalid value: "": Checked value must be of type number with format float in spec.f'],
  ],
  [1e38, { type: "number", format: "float" }, []],
  [
    1e100,
    { "x-kubernetes-int-or-string": true },
    ['spec.f: Invalid value: "number": spec.f in body must be of type integer,string: "number"'],
  ],
  [1e100, { type: "string" }, ['spec.f: Invalid value: "number": spec.f in body must be of type string: "number"']],
  [
    1.5,
    { type: "string", format: "byte" },
    ['spec.f: Invalid value: "float64": spec.f in body must be of type byte: "float64"'],
  ],
  [{}, { type: "string", format: "byte" }, ['spec.f: Invalid value: "": spec.f in body must be of type byte: ""']],
  [[], { type: "string", format: "byte" }, []],
  [
    1e100,
    { type: "integer", maximum: 10, multipleOf: 2 },
    [
      'spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.f',
      "spec.f: Invalid value: 1e+100: spec.f in body should be a multiple of 2",
      "spec.f: Invalid value: 1e+100: spec.f in body should be less than or equal to 10",
    ],
  ],
  [1.9, { type: "number", enum: [1, 2.5] }, []],
  [2.9, { type: "number", enum: [1, 2.5] }, ['spec.f: Unsupported value: 2.9: supported values: "1", "2.5"']],
  [
    "b",
    { type: "string", minLength: 3, pattern: "^a*$", format: "date" },
    [
      'spec.f: Invalid value: "b": spec.f in body should be at least 3 chars long',
      'spec.f: Invalid value: "b": spec.f in body must be of type date: "b"',
    ],
  ],
])("finds in %s with %j what kube-apiserver finds", (value, schema, texts) => {
  expect(errors(value, schema)).toEqual(texts);
});

const keyedObjects: JsonSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", properties: { k: { type: "string" } } },
};

it.each([
  [[null], ['spec.f[0]: Invalid value: "null": spec.f[0] in body must be of type object: "null"']],
  [
    [1],
    [
      'spec.f[0]: Invalid value: "integer": spec.f[0] in body must be of type object: "integer"',
      "spec.f[0]: Invalid value: 1: must be an object for an array of list-type map",
    ],
  ],
  [
    [{ k: "a" }, { k: "b" }, { k: "a" }, { k: "b" }, { k: "a" }],
    ['spec.f[2]: Duplicate value: {"k":"a"}', 'spec.f[3]: Duplicate value: {"k":"b"}'],
  ],
  [
    [null, null],
    [
      'spec.f[0]: Invalid value: "null": spec.f[0] in body must be of type object: "null"',
      'spec.f[1]: Invalid value: "null": spec.f[1] in body must be of type object: "null"',
      "spec.f[1]: Duplicate value: {}",
    ],
  ],
])("finds in the keyed list %j what the server finds", (value, expected) => {
  expect(
    [...validateValue(value, keyedObjects, "spec.f"), ...duplicateItems(value, keyedObjects, "spec.f")].map(
      fieldErrorMessage,
    ),
  ).toEqual(expected);
});
