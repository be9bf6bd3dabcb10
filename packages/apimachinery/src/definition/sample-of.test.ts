import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { definedBy } from "../defined-by.ts";
import type { ObjectOf } from "../object/kind.ts";
import { SchemaError } from "../schema/normalise-context.ts";
import { typedSchema } from "../schema/schema-type.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import { defineKind } from "./define-kind.ts";
import { sampleOf } from "./sample-of.ts";

const kindOf = (x: StructuralSchema) =>
  defineKind({
    group: "shop.example.com",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    spec: typedSchema<{ x: unknown }>({ type: "object", required: ["x"], properties: { x } }),
  });
const sampleX = (x: StructuralSchema): unknown => sampleOf(kindOf(x)).spec.x;

const named: StructuralSchema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };

describe("the sample of a kind", () => {
  it("has the type of the kind, the required fields and the defaults, and no status", () => {
    const Site = defineKind({
      group: "shop.example.com",
      version: "v1",
      kind: "Site",
      scope: "Namespaced",
      spec: Type.Object({
        image: Type.String({ example: "nginx:1.29" }),
        replicas: Type.Integer({ default: 3 }),
        note: Type.Optional(Type.String()),
        ports: Type.Array(Type.Object({ port: Type.Integer({ minimum: 1 }) }), { minItems: 2 }),
      }),
      status: Type.Object({ ready: Type.Boolean() }),
    });
    const sample = sampleOf(Site);
    expectTypeOf(sample).toEqualTypeOf<ObjectOf<typeof Site>>();
    expect(sample).toEqual({
      apiVersion: "shop.example.com/v1",
      kind: "Site",
      metadata: { name: "example" },
      spec: { image: "nginx:1.29", replicas: 3, ports: [{ port: 1 }, { port: 1 }] },
    });
    const Bare = defineKind({ group: "shop.example.com", version: "v1", kind: "Bare", scope: "Cluster" });
    expect(Object.keys(sampleOf(Bare))).toEqual(["apiVersion", "kind", "metadata"]);
  });

  it.each<[StructuralSchema, unknown]>([
    [{ type: "string" }, "example"],
    [{ type: "string", maxLength: 3 }, "exa"],
    [{ type: "string", minLength: 9 }, "exampleee"],
    [{ type: "string", enum: ["b", "a"] }, "b"],
    [{ type: "string", example: 1, default: "given" }, "given"],
    [{ type: "string", pattern: "^\\d+[smh]$" }, "1s"],
    [{ type: "string", format: "date-time" }, "2026-01-01T00:00:00Z"],
    [{ type: "string", format: "ipv4" }, "192.0.2.1"],
    [{ type: "string", format: "byte" }, "ZXhhbXBsZQ=="],
    [{ type: "string", format: "of-our-own" }, "example"],
    [{ type: "integer" }, 1],
    [{ type: "integer", minimum: 5, exclusiveMinimum: true }, 6],
    [{ type: "integer", maximum: -5, multipleOf: 3 }, -6],
    [{ type: "number", minimum: 0.1, maximum: 0.3, exclusiveMinimum: true }, 0.2],
    [{ type: "boolean" }, false],
    [{ type: "boolean", not: { enum: [false] } }, true],
    [{ type: "array", items: named }, []],
    [
      { type: "object", minProperties: 2, additionalProperties: { type: "integer" } },
      { key1: 1, key2: 1 },
    ],
    [{ type: "object", properties: { a: { type: "string", default: "b" } } }, { a: "b" }],
    [{ "x-kubernetes-int-or-string": true, pattern: "%$" }, 1],
    [{ "x-kubernetes-preserve-unknown-fields": true }, {}],
    [
      {
        type: "object",
        properties: { a: named, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      { a: { name: "example" } },
    ],
    [
      { type: "object", minProperties: 2, properties: { a: { type: "string" }, b: named, c: named } },
      { a: "example", b: { name: "example" } },
    ],
    [
      { type: "object", minProperties: 1, properties: { a: { type: "string" }, b: { type: "string", default: "c" } } },
      { b: "c" },
    ],
    [{ type: "string", pattern: "^.+/.+$" }, "example.com/v1"],
    [{ type: "string", nullable: true, pattern: "^[xyz]{9}$" }, null],
  ])("has for %j the value %j", (schema, value) => {
    expect(sampleX(schema)).toEqual(value);
  });

  it("has its own metadata even if the schema requires metadata, and a status only if the schema requires one", () => {
    const { crd } = kindOf({ type: "string" });
    const [version] = crd.spec.versions;
    const schema = version?.schema.openAPIV3Schema ?? {};
    const properties = { ...schema.properties, metadata: { type: "object" }, status: named };
    const sampleWith = (required: string[]): unknown => {
      const openAPIV3Schema = { ...schema, properties, required };
      return sampleOf(
        definedBy({ ...crd, spec: { ...crd.spec, versions: [{ ...version, schema: { openAPIV3Schema } }] } }),
      );
    };
    const own = { apiVersion: "shop.example.com/v1", kind: "Site", metadata: { name: "example" } };
    expect(sampleWith(["apiVersion", "kind", "metadata", "spec"])).toEqual({ ...own, spec: { x: "example" } });
    expect(sampleWith(["metadata", "status"])).toEqual({ ...own, status: { name: "example" } });
  });

  it("has invalid values if problems are handled", () => {
    const pattern = { type: "string", pattern: "^[xyz]{9}$" } as const;
    const x: StructuralSchema = {
      type: "object",
      required: ["a", "b", "c"],
      properties: { a: pattern, b: { type: "array", minItems: 1, items: pattern }, c: { type: "integer" } },
      oneOf: [{ required: ["a"] }, { required: ["d"] }],
    };
    const problems: string[] = [];
    const sample = sampleOf(kindOf(x), { onProblem: ({ message }) => void problems.push(message.replace(/:.*/, "")) });
    expect(sample.spec.x).toEqual({ a: "", b: [""], c: 1 });
    expect(problems).toEqual(["spec.x.a", "spec.x.b[]"]);
    expect(sampleOf(kindOf({ type: "integer" }), { onProblem: () => expect.unreachable() }).spec.x).toBe(1);
  });

  it("reports a field without a valid candidate", () => {
    const pattern = {
      type: "object",
      required: ["y"],
      properties: { y: { type: "string", pattern: "^[xyz]{9}$" } },
    } as const;
    const run = () => sampleX({ ...pattern, required: [...pattern.required] });
    expect(run).toThrow(SchemaError);
    expect(run).toThrow("spec.x.y: no valid value was found; add an example, a default or an enum to the schema");
    const set = { type: "array", minItems: 2, "x-kubernetes-list-type": "set", items: { type: "string" } } as const;
    expect(() => sampleX(set)).toThrow(
      "spec.x: 2 distinct items are required; add an example or a default to the schema",
    );
  });
});

it.each<readonly [what: string, schema: StructuralSchema, problem: string]>([
  ["items", { type: "array", minItems: 2e9, items: { type: "string" } }, "2000000000 items are too many to generate"],
  [
    "items of items",
    { type: "array", minItems: 300, items: { type: "array", minItems: 300, items: { type: "string" } } },
    "300 items are too many to generate",
  ],
  [
    "members",
    { type: "object", minProperties: 2e9, additionalProperties: { type: "string" } },
    "2000000000 members are too many to generate",
  ],
  ["characters", { type: "string", minLength: 2e9 }, "no valid value was found"],
])("does not make up billions of %s", (_what, schema, problem) => {
  const problems: string[] = [];
  const sample = sampleOf(kindOf(schema), { onProblem: ({ message }) => void problems.push(message) });
  expect(problems).toContainEqual(expect.stringContaining(problem));
  expect(JSON.stringify(sample).length).toBeLessThan(100_000);
});
