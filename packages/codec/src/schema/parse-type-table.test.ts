import { describe, expect, it } from "vitest";
import { indexTypeTable, parseListType, parseTypeLine, type ResolveType, wrapped } from "./parse-type-table.ts";
import { type FieldSchema, type ObjectSchema, scalar, type TypeSchema } from "./type-schema.ts";

const tables = ["## a/v1 io.a.v1\nT = 1 x:string\n\nU = @atomic 1 y:string\n", "## b/v1 io.b.v1\nT = \n"];

it("indexes lines by section and name", () => {
  const index = indexTypeTable(tables);
  expect([...index.keys()]).toEqual(["a/v1.T", "a/v1.U", "b/v1.T"]);
  expect(index.get("a/v1.U")).toEqual({
    ...{ section: { apiVersion: "a/v1", modelPrefix: "io.a.v1" }, name: "U", definition: "@atomic 1 y:string" },
  });
});

const section = { apiVersion: "a/v1", modelPrefix: "io.a.v1" };
const parent: ObjectSchema = { type: "object", name: "P", fields: new Map() };
const resolve: ResolveType = (name, from) => {
  expect(from).toBe(section);
  if (name === "P") return parent;
  if (name === "I") return parse("3 p:string, 4 q:string");
  return scalar(name === "meta.T" ? "Time" : "string");
};
const parse = (definition: string): ObjectSchema => parseTypeLine({ section, name: "T", definition }, resolve);
const plain: FieldSchema = {
  ...{ name: "x", schema: scalar("string"), required: false, number: 1 },
  ...{ pointer: false, alwaysPrinted: false, patchStrategies: [] },
};
const list: TypeSchema = { type: "list", items: scalar("string"), topology: "atomic", keys: [] };
const map: TypeSchema = { type: "map", values: scalar("string") };

it.each<readonly [text: string, field: Partial<FieldSchema>]>([
  ["1 x:string", {}],
  ["12 x:string", { number: 12 }],
  ["1 x!:string", { alwaysPrinted: true }],
  ["1 x:string?", { pointer: true }],
  ["1 x:string*", { required: true }],
  ["1 x!:string?*", { alwaysPrinted: true, pointer: true, required: true }],
  ["1 x:meta.T", { schema: scalar("Time") }],
  ["1 x:[string]", { schema: list }],
  ["1 x:{string}", { schema: map }],
  ["1 x:[string]@set", { schema: { ...list, topology: "set" } }],
  ["1 x:[string]@map(k)", { schema: { ...list, topology: "map", keys: ["k"] } }],
  ["1 x:[string]@map(k+l)", { schema: { ...list, topology: "map", keys: ["k", "l"] } }],
  ["1 x:[string]@atomic", { schema: list, declaredTopology: "atomic" }],
  ["1 x:[string]@unstated", { schema: list, declaredTopology: "unstated" }],
  ["1 x:{string}@atomic", { schema: { ...map, atomic: true }, declaredTopology: "atomic" }],
  ["1 x:{string}@set", { schema: map }],
  ["1 x:string@zero", { publishesZero: true }],
  ["1 x:string@enum(A|B)", { enumValues: ["A", "B"] }],
  ["1 x:[string]@merge(k)", { schema: list, patchStrategies: ["merge"], patchMergeKey: "k" }],
  ["1 x:[string]@merge", { schema: list, patchStrategies: ["merge"] }],
  ["1 x:[string]@replace", { schema: list, patchStrategies: ["replace"] }],
  [
    "1 x:[string]@map(k)@merge+retainKeys(k)",
    {
      ...{ schema: { ...list, topology: "map", keys: ["k"] } },
      ...{ patchStrategies: ["merge", "retainKeys"], patchMergeKey: "k" },
    },
  ],
  ['1 x:string="a"', { default: "a" }],
  ["1 x:string@zero=0", { publishesZero: true, default: 0 }],
])("reads the field %s", (text, field) => {
  expect(Object.fromEntries(parse(text).fields)).toStrictEqual({ x: { ...plain, ...field } });
});

describe("a type", () => {
  it("has names, and fields that are read when they are asked for", () => {
    expect(parse("nonsense")).toMatchObject({ name: "T", modelName: "io.a.v1.T", apiVersion: "a/v1" });
    expect(() => parse("nonsense").fields).toThrow('type table: cannot read "nonsense" in a/v1');
    const type = parse("1 x:string, 2 y:string");
    expect([...type.fields.keys()]).toEqual(["x", "y"]);
    expect(type.fields).toBe(type.fields);
    expect(parse("").fields.size).toBe(0);
  });

  it("may be owned as a whole", () => {
    expect(parse("@atomic 1 x:string")).toMatchObject({ atomic: true });
    expect([...parse("@atomic 1 x:string").fields.keys()]).toEqual(["x"]);
    expect(parse("1 x:string").atomic).toBeUndefined();
  });

  it.each([
    ["@atomic", true],
    ["@granular", false],
  ])("may be owned otherwise where it is used: %s", (mark, atomic) => {
    const schema = parse(`1 x:P${mark}`).fields.get("x")?.schema;
    expect(schema).toMatchObject({ atomic, ofType: parent, name: "P" });
  });

  it("contains the fields of inlined types under their number", () => {
    const fields = parse("1 x:string, 7 ^I").fields;
    expect([...fields.values()].map(({ name, number, inlinedIn }) => [name, number, inlinedIn?.name])).toEqual([
      ["x", 1, undefined],
      ["p", 7, "T"],
      ["q", 7, "T"],
    ]);
    expect(() => parse("1 ^string").fields).toThrow("type table: string cannot be inlined");
  });

  it("may get more fields", () => {
    const type = parseTypeLine(
      { section, name: "T", definition: "1 x:string" },
      resolve,
      (own) => new Map([...own, ["z", plain]]),
    );
    expect([...type.fields.keys()]).toEqual(["x", "z"]);
  });
});

it("parses a list that is a message of its own", () => {
  const line = { section, name: "T", definition: "[string]" };
  expect(wrapped(parseListType(line, resolve))).toEqual({ ...list, isWrapped: true });
});
