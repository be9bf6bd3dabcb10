import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { type FieldSchema, type ObjectSchema, scalar, type TypeSchema } from "../schema/type-schema.ts";
import { decodeBuiltin, TypeMismatchError } from "./decode-builtin.ts";

const field = (name: string, schema: TypeSchema, more: Partial<FieldSchema> = {}): FieldSchema => ({
  ...{ name, schema, required: false, number: 1, pointer: false, alwaysPrinted: false, patchStrategies: [] },
  ...more,
});
const typeOf = (schema: TypeSchema, more: Partial<FieldSchema> = {}): ObjectSchema => ({
  ...{ type: "object", name: "T", fields: new Map([["a", field("a", schema, more)]]) },
});
const listOf = (items: TypeSchema): TypeSchema => ({ type: "list", items, topology: "atomic", keys: [] });
const mapOf = (values: TypeSchema): TypeSchema => ({ type: "map", values });
const any: TypeSchema = { type: "any", atomic: true };
const either: TypeSchema = { type: "either", name: "E", object: typeOf(scalar("bool")), other: scalar("bool") };
const decode = (a: unknown, schema: TypeSchema, more?: Partial<FieldSchema>, convertsMaps?: boolean): unknown =>
  decodeBuiltin({ a }, typeOf(schema, more), [], convertsMaps).value.a;

describe("an empty member", () => {
  it.each<readonly [value: unknown, schema: TypeSchema]>([
    ["", scalar("string")],
    [0, scalar("int32")],
    [false, scalar("bool")],
    [[], listOf(scalar("string"))],
    [{}, mapOf(scalar("string"))],
    ["", scalar("bytes")],
  ])("is left out unless it is a pointer or always printed: %j", (value, schema) => {
    expect(decode(value, schema)).toBeUndefined();
    expect(decode(value, schema, { pointer: true })).toEqual(value);
    expect(decode(value, schema, { alwaysPrinted: true })).toEqual(value);
  });

  it.each<readonly [value: unknown, schema: TypeSchema]>([
    [{}, typeOf(scalar("string"))],
    [0, scalar("IntOrString")],
    ["", scalar("IntOrString")],
    [false, either],
    ["", any],
    [null, any],
    ["x", scalar("string")],
    [1, scalar("int32")],
    [true, scalar("bool")],
    [[""], listOf(scalar("string"))],
    [{ k: "" }, mapOf(scalar("string"))],
  ])("is kept if Go prints it, as is what is not empty: %j", (value, schema) => {
    expect(decode(value, schema)).toEqual(value);
  });

  it("is absent if it is null", () => {
    for (const schema of [scalar("string"), listOf(any), mapOf(any), typeOf(any), either])
      expect(decode(null, schema, { pointer: true })).toBeUndefined();
  });
});

it.each<readonly [schema: TypeSchema, zero: unknown]>([
  [scalar("string"), ""],
  [scalar("bytes"), ""],
  [scalar("Duration"), ""],
  [scalar("bool"), false],
  [scalar("Time"), null],
  [scalar("MicroTime"), null],
  [scalar("Quantity"), "0"],
  [scalar("int32"), 0],
  [scalar("double"), 0],
  [scalar("IntOrString"), 0],
  [typeOf(scalar("string")), {}],
  [listOf(any), null],
  [mapOf(any), null],
  [any, null],
])("puts the zero of the type in place of a null in a list or map: %j", (schema, zero) => {
  expect(decode([null], listOf(schema))).toEqual([zero]);
  expect(decode({ k: null }, mapOf(schema))).toEqual({ k: zero });
});

it("reads bytes from a list of numbers", () => {
  expect(decode([0, 255, null], scalar("bytes"))).toBe("AP8A");
  for (const wrong of [256, -1, 1.5, "1"])
    expect(() => decode([wrong], scalar("bytes"))).toThrow(/^a: expected uint8, got /);
  expect(() => decode([null], scalar("bytes"), {}, true)).toThrow("a: expected uint8, got null");
  expect(decode([1], scalar("bytes"), {}, true)).toBe("AQ==");
});

const refused: readonly (readonly [value: unknown, schema: TypeSchema, message: string, conversion?: string])[] = [
  [1, scalar("string"), "a: expected string, got number"],
  ["1", scalar("bool"), "a: expected boolean, got string"],
  ["1", scalar("double"), "a: expected number, got string"],
  [1, scalar("Duration"), "a: expected duration, got number"],
  [1, scalar("Time"), "a: expected time, got number"],
  [1, scalar("MicroTime"), "a: expected time, got number"],
  [2.5, scalar("int32"), "a: expected int32, got 2.5"],
  [2n ** 64n, scalar("int64"), "a: expected int64, got 18446744073709551616"],
  [10n ** 50n, scalar("int64"), `a: expected int64, got 1${"0".repeat(39)}`],
  [2.5, scalar("IntOrString"), "a: expected int32 or string, got 2.5"],
  [{}, listOf(any), "a: expected array, got object", "cannot restore slice from map"],
  ["x", listOf(any), "a: expected array, got string", "cannot restore slice from string"],
  [[], mapOf(any), "a: expected object, got array", "cannot restore map from slice"],
  [1, mapOf(any), "a: expected object, got number", "cannot restore map from number"],
  [[], typeOf(any), "a: expected object, got array", "cannot restore struct from: slice"],
  ["x", either, "a: expected boolean, got string"],
  [{ a: "x" }, either, "a.a: expected boolean, got string"],
  [[[1]], listOf(listOf(scalar("string"))), "a[0][0]: expected string, got number"],
  [{ k: 1 }, mapOf(scalar("string")), "a.k: expected string, got number"],
  [{ ["k".repeat(600)]: 1 }, mapOf(scalar("string")), `a.${"k".repeat(498)}…: expected string, got number`],
  [{ ["k".repeat(498)]: 1 }, mapOf(scalar("string")), `a.${"k".repeat(498)}: expected string, got number`],
  ["1x", scalar("Quantity"), "a: quantities must match the regular expression"],
];
it.each(refused.map(([value, schema, message, conversion]) => [value, schema, message, conversion] as const))(
  "refuses %o",
  (value, schema, message, conversion) => {
    try {
      decode(value, schema);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof TypeMismatchError)) throw error;
      expect([error.message.slice(0, message.length), error.conversion]).toEqual([message, conversion]);
    }
  },
);

it("keeps what an integer has bits for where maps are converted", () => {
  expect(decode(2 ** 32 + 1, scalar("int32"), {}, true)).toBe(1);
  expect(() => decode(2 ** 32 + 1, scalar("int32"))).toThrow("a: expected int32, got 4294967297");
});

describe("problems", () => {
  const schema = typeOf(mapOf(typeOf(listOf(scalar("string")))));
  const problems = (value: object, repeated: readonly string[] = [], convertsMaps = false): readonly string[] =>
    decodeBuiltin({ ...value }, schema, repeated, convertsMaps).problems;

  it("are unknown and repeated fields, by their paths", () => {
    const value = { z: 1, a: { k: { a: ["x"], 'y"': 1 } } };
    expect(problems(value)).toEqual(['unknown field "z"', String.raw`unknown field "a.k.y\""`]);
    expect(problems(value, [], true)).toEqual(['unknown field "z"', 'unknown field "a.k.y""']);
    expect(problems(value, ["a", "a.k", "a.k.a", "other"])).toEqual([
      ...['unknown field "z"', 'duplicate field "a"', 'duplicate field "a.k"', 'duplicate field "a.k.a"'],
      String.raw`unknown field "a.k.y\""`,
    ]);
  });

  it("are reported up to a hundred", () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x${i}`, 1]));
    expect(problems(many)).toHaveLength(100);
    const keys = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, {}]));
    const repeated = Object.keys(keys).map((key) => `a.${key}`);
    expect(problems({ a: keys }, repeated)).toHaveLength(100);
  });

  it("are looked for below a long key until their paths become too long, and then reported wherever they are", () => {
    const key = "k".repeat(200_000);
    const members = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, ""]));
    const { problems } = decodeBuiltin({ a: { [key]: members } }, typeOf(mapOf(mapOf(scalar("string")))), [
      ...["other", `a.${key}.m1`, `a.${key}.m99`],
    ]);
    expect(problems.map((text) => text.replace(key, "KEY"))).toEqual([
      ...['duplicate field "a.KEY.m1"', 'duplicate field "other"', 'duplicate field "a.KEY.m99"'],
    ]);
  });
});

it.each([
  ["ObjectMeta", "managedFields", true],
  ["ObjectMeta", "finalizers", false],
])("keeps an empty list of %s only where it means something: %s", (kind, name, isKept) => {
  const meta = builtinSchema({ group: "meta.k8s.io", version: "v1", kind });
  expect(meta && decodeBuiltin({ [name]: [] }, meta).value).toEqual(isKept ? { [name]: [] } : {});
});
