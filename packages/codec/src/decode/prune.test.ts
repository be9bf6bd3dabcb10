import { describe, expect, it } from "vitest";
import { objectMetaSchema } from "../schema/builtin-schemas.ts";
import { deduced, type FieldSchema, type ObjectSchema, scalar, type TypeSchema } from "../schema/type-schema.ts";
import { TypeMismatchError } from "./decode-builtin.ts";
import { pruneCustom } from "./prune.ts";

const field = (name: string, schema: TypeSchema): FieldSchema => ({
  ...{ name, schema, required: false, number: 0, pointer: true, alwaysPrinted: false, patchStrategies: [] },
});
const objectOf = (fields: Readonly<Record<string, TypeSchema>>, more: Partial<ObjectSchema> = {}): ObjectSchema => ({
  type: "object",
  fields: new Map(Object.entries(fields).map(([name, schema]) => [name, field(name, schema)])),
  ...more,
});
const text = scalar("string");
const nullable = (schema: TypeSchema): TypeSchema => ({ ...schema, nullable: true });
const listOf = (items: TypeSchema): TypeSchema => ({ type: "list", items, topology: "atomic", keys: [] });
const mapOf = (values: TypeSchema): TypeSchema => ({ type: "map", values });
const type = { apiVersion: text, kind: text, metadata: objectMetaSchema() };
const resource = (fields: Readonly<Record<string, TypeSchema>>): ObjectSchema =>
  objectOf({ ...type, ...fields }, { isResource: true });

const a1 = objectOf({ a: text });
it.each<readonly [schema: TypeSchema, value: unknown, pruned: unknown, unknown: readonly string[]]>([
  [text, "x", "x", []],
  [text, 5, 5, []],
  [text, { x: 1, b: 2 }, {}, ["s.b", "s.x"]],
  [text, [{ x: 1 }, 5], [{}, 5], ["s[0].x"]],
  [a1, { b: 1, a: "x" }, { a: "x" }, ["s.b"]],
  [a1, [{ b: 1 }], [{ b: 1 }], []],
  [a1, 5, 5, []],
  [a1, { a: null }, {}, []],
  [objectOf({ a: nullable(text) }), { a: null }, { a: null }, []],
  [objectOf({}, { rest: text }), { b: 1, c: null }, { b: 1 }, []],
  [objectOf({}, { rest: nullable(a1) }), { b: { a: "x", c: 1 }, d: null }, { b: { a: "x" }, d: null }, ["s.b.c"]],
  [listOf(a1), [{ a: "x", b: 1 }, 5], [{ a: "x" }, 5], ["s[0].b"]],
  [listOf(a1), { x: 1 }, {}, ["s.x"]],
  [listOf(a1), "x", "x", []],
  [mapOf(a1), { k: { a: "x", b: 1 }, n: null }, { k: { a: "x" } }, ["s.k.b"]],
  [mapOf(nullable(a1)), { n: null }, { n: null }, []],
  [mapOf(a1), [{ b: 1 }], [{ b: 1 }], []],
  [deduced, { x: { y: null } }, { x: { y: null } }, []],
  [deduced, [{ x: 1 }], [{ x: 1 }], []],
])("prunes by %j", (schema, value, pruned, unknown) => {
  const found = pruneCustom({ s: value }, resource({ s: schema }));
  expect(found.value).toEqual({ s: pruned });
  expect(found.problems).toEqual(unknown.map((path) => `unknown field "${path}"`));
});

it("keeps the order of members, and reports problems by name", () => {
  const { value, problems } = pruneCustom(
    { z: 1, s: { b: "1", y: 1, a: "1" }, c: 1 },
    resource({ s: objectOf({ a: text, b: text }) }),
  );
  expect(JSON.stringify(value)).toBe('{"s":{"b":"1","a":"1"}}');
  expect(problems).toEqual(['unknown field "c"', 'unknown field "s.y"', 'unknown field "z"']);
});

it("keeps nulls only on request", () => {
  const schema = resource({ s: objectOf({ a: text }), m: mapOf(text) });
  expect(pruneCustom({ s: { a: null }, m: { k: null } }, schema, [], true).value).toEqual({
    s: { a: null },
    m: { k: null },
  });
});

it("reports repeated fields, then those of metadata, then others", () => {
  const object = { metadata: { x: 1, name: "n" }, y: 1, e: { apiVersion: "v1", kind: "K", metadata: { z: 1 } } };
  const { value, problems } = pruneCustom(object, resource({ e: resource({}) }), ["a.b"]);
  expect(value).toEqual({ metadata: { name: "n" }, e: { apiVersion: "v1", kind: "K", metadata: {} } });
  expect(problems).toEqual([
    ...['duplicate field "a.b"', 'unknown field "metadata.x"', 'unknown field "y"', 'unknown field "e.metadata.z"'],
  ]);
});

describe("a resource", () => {
  it("keeps its type, of whatever kind it is, and empty metadata for null", () => {
    const schema = objectOf({}, { isResource: true });
    const object = { apiVersion: 5, kind: null, other: 1 };
    expect(pruneCustom(object, schema)).toEqual({
      value: { apiVersion: 5, kind: null },
      problems: ['unknown field "other"'],
    });
    expect(pruneCustom({ metadata: null }, schema).value).toEqual({ metadata: {} });
  });

  it("must have text for its type where it is embedded", () => {
    const schema = resource({ e: resource({}) });
    for (const name of ["apiVersion", "kind"])
      expect(() => pruneCustom({ e: { [name]: 5 } }, schema)).toThrow(
        new TypeMismatchError(`e.${name}: Invalid value: 5: must be a string`),
      );
    expect(pruneCustom({ e: { metadata: null } }, schema).value).toEqual({ e: {} });
  });

  it("is only one where its schema says so", () => {
    const schema = resource({ s: objectOf({ kind: text, metadata: a1 }) });
    expect(pruneCustom({ s: { kind: 5, apiVersion: 5, metadata: { a: "x", name: 5 } } }, schema)).toEqual({
      value: { s: { kind: 5, metadata: { a: "x" } } },
      problems: ['unknown field "s.apiVersion"', 'unknown field "s.metadata.name"'],
    });
  });

  it("must have metadata of the right type", () => {
    const schema = resource({ e: resource({}) });
    const refused = (object: object): unknown => {
      try {
        return pruneCustom({ ...object }, schema);
      } catch (error) {
        return String(error);
      }
    };
    expect(refused({ metadata: [] })).toBe("TypeMismatchError: metadata: expected object, got array");
    expect(refused({ metadata: { name: 5 } })).toBe("TypeMismatchError: name: expected string, got number");
    expect(refused({ e: { metadata: 5 } })).toBe(
      "TypeMismatchError: e.metadata: Invalid value: 5: e.metadata: expected object, got number",
    );
  });
});

it("does not repeat a long key in the paths of thousands of unknown or repeated fields", () => {
  const key = "k".repeat(200_000);
  const unknown = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`u${i}`, i]));
  const { problems } = pruneCustom({ s: { [key]: unknown } }, resource({ s: mapOf(a1) }));
  expect(problems).toEqual([`unknown field "s.${key}.u0"`, `unknown field "s.${key}.u1"`]);
  const repeated = Array.from({ length: 3_000 }, (_, i) => `s.${key}.r${i}`);
  expect(pruneCustom({}, resource({}), repeated).problems).toHaveLength(2);
  const embedded = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`e${i}`, { metadata: { "$'": i } }]));
  expect(pruneCustom({ s: { [key]: embedded } }, resource({ s: mapOf(mapOf(resource({}))) })).problems).toEqual([
    `unknown field "s.${key}.e0.metadata.$'"`,
    `unknown field "s.${key}.e1.metadata.$'"`,
  ]);
});
