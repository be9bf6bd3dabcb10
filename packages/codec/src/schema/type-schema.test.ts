import { expect, it } from "vitest";
import { builtinSchema } from "./builtin-schemas.ts";
import { deduced, memberSchema, type ObjectSchema, scalar, type TypeSchema, untyped } from "./type-schema.ts";

const text = scalar("string");
const object = (rest?: TypeSchema): ObjectSchema => ({
  type: "object",
  fields: builtinSchema({ group: "", version: "v1", kind: "ConfigMap" })?.fields ?? new Map(),
  ...(rest ? { rest } : {}),
});
const any: TypeSchema = { type: "any", atomic: true, name: "RawExtension" };

it.each<readonly [schema: TypeSchema, name: string, member: TypeSchema | undefined]>([
  [object(), "immutable", scalar("bool")],
  [object(), "other", undefined],
  [object(text), "immutable", scalar("bool")],
  [object(text), "other", text],
  [{ type: "map", values: text }, "other", text],
  [any, "other", { type: "any", atomic: true }],
  [{ ...any, atomic: false }, "other", { type: "any", atomic: false }],
  [{ type: "either", name: "E", object: object(text), other: scalar("bool") }, "other", text],
  [{ type: "list", items: object(text), topology: "atomic", keys: [] }, "other", undefined],
  [text, "other", undefined],
])("knows the members of %j: %s", (schema, name, member) => {
  expect(memberSchema(schema, name)).toEqual(member);
});

it("owns free JSON as a whole or member by member", () => {
  expect([untyped, deduced]).toEqual([
    { type: "any", atomic: true },
    { type: "any", atomic: false },
  ]);
});
