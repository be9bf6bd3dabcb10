import { defineKind, isRecord, type StructuralSchema, typedSchema } from "@kubewright/apimachinery";
import fc from "fast-check";
import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { arbitraryOf } from "./arbitrary-of.ts";

const kindOf = (properties: Record<string, StructuralSchema>, required: string[] = []) =>
  defineKind({
    group: "shop.example.com",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    spec: typedSchema<Record<string, unknown>>({ type: "object", properties, required }),
  });

/** Returns many values for a field of that schema. */
const valuesOf = (schema: StructuralSchema): unknown[] =>
  fc.sample(arbitraryOf(kindOf({ x: schema }, ["x"])), { numRuns: 200, seed: 7 }).map(({ spec }) => spec.x);

const port: StructuralSchema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
const text = expect.any(String);

describe("the objects of a kind", () => {
  it("have its type, and can be parsed", () => {
    const Site = defineKind({
      group: "shop.example.com",
      version: "v1",
      kind: "Site",
      scope: "Cluster",
      spec: Type.Object({ image: Type.String({ minLength: 1 }), replicas: Type.Integer({ minimum: 0, default: 1 }) }),
      status: Type.Object({ ready: Type.Optional(Type.Boolean()) }),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(arbitraryOf(Site), (site) => {
        expectTypeOf(site.spec.image).toEqualTypeOf<string>();
        expect(Site.parse(site)).toEqual(site);
        expect(site.metadata).not.toHaveProperty("namespace");
        for (const member of ["status", "metadata.labels", "metadata.annotations"] as const)
          if (member in site || member.slice(9) in site.metadata) seen.add(member);
        if (site.spec.replicas === 1) seen.add("default");
      }),
      { seed: 7 },
    );
    expect([...seen].sort()).toEqual(["default", "metadata.annotations", "metadata.labels", "status"]);
  });

  it.each<[string, StructuralSchema]>([
    ["enum", { type: "string", enum: ["a", "b"] }],
    ["nullable enum", { type: "string", nullable: true, enum: ["a", null] }],
    ["bounds", { type: "integer", minimum: 3, maximum: 9, exclusiveMinimum: true, exclusiveMaximum: true }],
    ["multiple", { type: "integer", minimum: 1, multipleOf: 7 }],
    ["number", { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1 }],
    ["int32", { type: "integer", format: "int32" }],
    ["length", { type: "string", minLength: 2, maxLength: 3 }],
    ["pattern", { type: "string", pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 12 }],
    ["open pattern", { type: "string", pattern: "[0-9]{2}:" }],
    ...["byte", "cidr", "date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "mac", "uri", "uuid"].map(
      (format): [string, StructuralSchema] => [format, { type: "string", format }],
    ),
    ["int-or-string", { "x-kubernetes-int-or-string": true }],
    [
      "int-or-string with a pattern",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "^[0-9]+%$" },
    ],
    ["list", { type: "array", minItems: 2, maxItems: 3, items: { type: "boolean" } }],
    [
      "set",
      {
        type: "array",
        minItems: 2,
        "x-kubernetes-list-type": "set",
        items: { type: "integer", minimum: 0, maximum: 5 },
      },
    ],
    [
      "keyed list",
      {
        type: "array",
        minItems: 3,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: port,
      },
    ],
    ["map", { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer" } }],
    ["anything", { "x-kubernetes-preserve-unknown-fields": true }],
    ["open object", { ...port, "x-kubernetes-preserve-unknown-fields": true }],
    [
      "object within",
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    ],
    [
      "one of",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string", maxLength: 2 } },
        oneOf: [{ required: ["a"] }, { required: ["b"], properties: { b: { minLength: 1 } } }],
      },
    ],
    [
      "any and all",
      { type: "integer", anyOf: [{ maximum: 3 }, { minimum: 9 }], allOf: [{ minimum: 1 }, { maximum: 12 }] },
    ],
    ["not", { type: "string", enum: ["a", "b", "c"], not: { enum: ["b"] } }],
    ["default", { type: "object", default: {}, properties: { a: { type: "string", default: "b" } } }],
  ])("fit: %s", (_what, schema) => {
    const Kind = kindOf({ x: schema }, ["x"]);
    const values = valuesOf(schema);
    for (const x of values) expect(Kind.parse({ metadata: { name: "a" }, spec: { x } }).spec.x).toEqual(x);
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBeGreaterThan(schema.default ? 0 : 1);
  });

  it("include values that a schema leaves open: null, unnamed members and absent ones", () => {
    expect(valuesOf({ type: "string", nullable: true })).toEqual(expect.arrayContaining([null, text]));
    const open = valuesOf({ ...port, "x-kubernetes-preserve-unknown-fields": true }).filter(isRecord);
    expect(open.some((value) => Object.keys(value).some((name) => name !== "name"))).toBe(true);
    const numbers = valuesOf({ "x-kubernetes-int-or-string": true });
    expect(new Set(numbers.map((value) => typeof value))).toEqual(new Set(["number", "string"]));
    const optional = fc.sample(arbitraryOf(kindOf({ x: { type: "string" } })), { numRuns: 50, seed: 7 });
    expect(new Set(optional.map(({ spec }) => "x" in spec))).toEqual(new Set([true, false]));
    expect(
      fc
        .sample(
          arbitraryOf(
            kindOf({ x: { type: "object", default: {}, properties: { a: { type: "string", default: "b" } } } }),
          ),
          { numRuns: 50, seed: 7 },
        )
        .map(({ spec }) => spec.x),
    ).toContainEqual({ a: "b" });
  });

  it("fail with the path if the schema accepts no value that can be found", () => {
    const never: StructuralSchema = { type: "string", pattern: "^[a-z]{40}$", not: { minLength: 1 } };
    expect(() => valuesOf({ type: "object", required: ["deep"], properties: { deep: never } })).toThrow(
      /spec\.x\.deep: the schema accepted none of 10000 consecutive values/,
    );
  });
});
