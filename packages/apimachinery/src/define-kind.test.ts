import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defineKind } from "./define-kind.ts";
import type { ObjectOf } from "./kind.ts";
import type { ObjectMeta } from "./object.ts";
import { typedSchema } from "./schema/schema-type.ts";

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  shortNames: ["st"],
  categories: ["all"],
  description: "A shop's web site.",
  spec: Type.Object({
    image: Type.String({ minLength: 1 }),
    config: Type.Optional(Type.String()),
    replicas: Type.Integer({ minimum: 0, default: 1 }),
    tier: Type.Optional(Type.Union([Type.Literal("small"), Type.Literal("large")])),
  }),
  status: Type.Object({ readyReplicas: Type.Optional(Type.Integer()) }),
  columns: [{ name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" }],
  selectableFields: [".spec.tier"],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.readyReplicas" },
});
type Site = ObjectOf<typeof Site>;

const failure = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
};

describe("the type of a defined kind", () => {
  it("is what the schemas say", () => {
    expectTypeOf<Site["metadata"]>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<Site["spec"]>().toEqualTypeOf<{
      image: string;
      config?: string;
      replicas: number;
      tier?: "small" | "large";
    }>();
    expectTypeOf<NonNullable<Site["status"]>>().toEqualTypeOf<{ readyReplicas?: number }>();
  });

  it("follows records, lists, intersections, nulls and types given by hand", () => {
    const Thing = defineKind({
      group: "g.example.com",
      version: "v1",
      kind: "Thing",
      scope: "Cluster",
      spec: Type.Object({
        labels: Type.Record(Type.String(), Type.String()),
        ports: Type.Array(Type.Object({ port: Type.Integer() })),
        both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Boolean() })]),
        maybe: Type.Union([Type.String(), Type.Null()]),
        mode: Type.Enum(["a", "b"]),
      }),
      status: typedSchema<{ phase: "Up" | "Down" }>({ type: "object", properties: { phase: { type: "string" } } }),
    });
    type Thing = ObjectOf<typeof Thing>;
    expectTypeOf<Thing["spec"]>().toEqualTypeOf<{
      labels: Record<string, string>;
      ports: { port: number }[];
      both: { a: string; b: boolean };
      maybe: string | null;
      mode: "a" | "b";
    }>();
    expectTypeOf<NonNullable<Thing["status"]>>().toEqualTypeOf<{ phase: "Up" | "Down" }>();
  });

  it("may be without a spec where that is declared", () => {
    const Rule = defineKind({
      group: "g.example.com",
      version: "v1",
      kind: "Rule",
      scope: "Namespaced",
      spec: Type.Object({ port: Type.Integer() }),
      specRequired: false,
    });
    type Rule = ObjectOf<typeof Rule>;
    expectTypeOf<Rule>().toExtend<{ spec?: { port: number } }>();
    expectTypeOf<{ apiVersion: string; kind: string; metadata: ObjectMeta }>().toExtend<Rule>();
    expect(Rule.crd.spec.versions[0]?.schema.openAPIV3Schema.required).toBeUndefined();
    expect(Rule.parse({ metadata: { name: "x" } })).not.toHaveProperty("spec");
    expect(failure(() => Rule.parse({ metadata: { name: "x" }, spec: {} }))).toContain("spec.port: Required value");
  });

  it("has no spec where none is declared", () => {
    const Bare = defineKind({ group: "g.example.com", version: "v1", kind: "Bare", scope: "Cluster" });
    expectTypeOf<keyof ObjectOf<typeof Bare>>().toEqualTypeOf<"apiVersion" | "kind" | "metadata">();
    expect(Bare.parse({ metadata: { name: "x" }, spec: 1 })).toEqual({
      apiVersion: "g.example.com/v1",
      kind: "Bare",
      metadata: { name: "x" },
    });
  });
});

describe("the CustomResourceDefinition", () => {
  it("is complete", () => {
    expect(Site.crd).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "sites.shop.example.com" },
      spec: {
        group: "shop.example.com",
        scope: "Namespaced",
        names: {
          plural: "sites",
          singular: "site",
          kind: "Site",
          listKind: "SiteList",
          shortNames: ["st"],
          categories: ["all"],
        },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                description: "A shop's web site.",
                required: ["spec"],
                properties: {
                  apiVersion: { type: "string" },
                  kind: { type: "string" },
                  metadata: { type: "object" },
                  spec: {
                    type: "object",
                    required: ["image"],
                    properties: {
                      image: { type: "string", minLength: 1 },
                      config: { type: "string" },
                      replicas: { type: "integer", minimum: 0, default: 1 },
                      tier: { type: "string", enum: ["small", "large"] },
                    },
                  },
                  status: { type: "object", properties: { readyReplicas: { type: "integer" } } },
                },
              },
            },
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.readyReplicas" },
            },
            additionalPrinterColumns: [{ name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" }],
            selectableFields: [{ jsonPath: ".spec.tier" }],
          },
        ],
      },
    });
  });
});

describe("parse", () => {
  it("fills in defaults and drops what the schema does not name", () => {
    const site = Site.parse({
      apiVersion: "shop.example.com/v1",
      kind: "Site",
      metadata: { name: "a", namespace: "web", labels: { app: "a" } },
      spec: { image: "nginx", color: "red", config: null },
      extra: true,
    });

    expect(site).toEqual({
      apiVersion: "shop.example.com/v1",
      kind: "Site",
      metadata: { name: "a", namespace: "web", labels: { app: "a" } },
      spec: { image: "nginx", replicas: 1 },
    });
  });

  it("leaves the given value as it was", () => {
    const given = Object.freeze({
      metadata: Object.freeze({ name: "a" }),
      spec: Object.freeze({ image: "nginx", x: 1 }),
    });
    expect(Site.parse(given).spec).toEqual({ image: "nginx", replicas: 1 });
    expect(given.spec).toEqual({ image: "nginx", x: 1 });
  });

  it("gathers every error, worded as the server words it", () => {
    const bad = { metadata: { name: "A_b" }, spec: { image: "", replicas: -1, tier: "huge", config: 3 } };
    expect(failure(() => Site.parse(bad))).toBe(
      `Site.shop.example.com "A_b" is invalid: [` +
        `metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), ` +
        `spec.image: Invalid value: "": spec.image in body should be at least 1 chars long, ` +
        `spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0, ` +
        `spec.tier: Unsupported value: "huge": supported values: "small", "large", ` +
        `spec.config: Invalid value: "integer": spec.config in body must be of type string: "integer"]`,
    );
    expect(failure(() => Site.parse({ metadata: { name: "a" } }))).toBe(
      'Site.shop.example.com "a" is invalid: spec: Required value',
    );
  });

  it("refuses another version, another kind and what is no object", () => {
    expect(
      failure(() => Site.parse({ apiVersion: "shop.example.com/v2", kind: "Site", metadata: { name: "a" } })),
    ).toBe(
      "the API version in the data (shop.example.com/v2) does not match the expected API version (shop.example.com/v1)",
    );
    expect(failure(() => Site.parse({ kind: "Shop", metadata: { name: "a" }, spec: { image: "x" } }))).toBe(
      'Site.shop.example.com "a" is invalid: kind: Invalid value: "Shop": must be Site',
    );
    expect(failure(() => Site.parse("site"))).toContain("must be of type Site");
  });
});
