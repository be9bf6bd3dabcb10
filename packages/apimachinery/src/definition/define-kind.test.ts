import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { ObjectOf } from "../object/kind.ts";
import type { ObjectMeta } from "../object/object.ts";
import { typedSchema } from "../schema/schema-type.ts";
import { defineKind } from "./define-kind.ts";

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
  it("follows the schemas", () => {
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

  it("has an optional spec if the definition says so", () => {
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

  it("has no spec without a schema for it", () => {
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
  it("fills in defaults and removes fields that are not in the schema", () => {
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

  it("does not modify the value", () => {
    const given = Object.freeze({
      metadata: Object.freeze({ name: "a" }),
      spec: Object.freeze({ image: "nginx", x: 1 }),
    });
    expect(Site.parse(given).spec).toEqual({ image: "nginx", replicas: 1 });
    expect(given.spec).toEqual({ image: "nginx", x: 1 });
  });

  it("reports all errors with the API server's messages", () => {
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

  it("rejects a different version, a different kind and a value that is not an object", () => {
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

describe("a definition that the API server would reject", () => {
  const good = {
    group: "shop.example.com",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    spec: Type.Object({ image: Type.String(), tags: Type.Record(Type.String(), Type.String()) }),
    status: Type.Object({ phase: Type.String() }),
  } as const;
  const label =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character";
  const column = { name: "Phase", type: "string", jsonPath: ".status.phase" } as const;
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const schema = (of: object) => ({ spec: typedSchema<object>({ type: "object", properties: { x: of } }) });
  const item = { type: "object", properties: { name: { type: "string" } } };

  it.each<[object, string]>([
    [{ group: "" }, "group: Required value: set it to a domain that you own, such as shop.example.com"],
    [
      { group: "shop" },
      'group: Invalid value: "shop": should be a domain with at least one dot, such as shop.example.com',
    ],
    [{ group: "Shop.example.com" }, 'group: Invalid value: "Shop.example.com": a lowercase RFC 1123 subdomain must'],
    [
      { group: "shop.k8s.io" },
      'annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io"',
    ],
    [{ version: "V1" }, `version: Invalid value: "V1": ${label}`],
    [{ version: "" }, "version: Required value"],
    [{ kind: "My_Site" }, `kind: Invalid value: "My_Site": may have mixed case, but should otherwise match: ${label}`],
    [{ kind: "" }, "kind: Required value"],
    [{ plural: "Sites" }, `plural: Invalid value: "Sites": ${label}`],
    [{ singular: "a.b" }, `singular: Invalid value: "a.b": ${label}`],
    [{ shortNames: ["st", "ST"] }, `shortNames[1]: Invalid value: "ST": ${label}`],
    [{ shortNames: [""] }, "shortNames[0]: Required value"],
    [{ categories: ["all the"] }, `categories[0]: Invalid value: "all the": ${label}`],
    [{ scope: "namespaced" }, 'scope: Unsupported value: "namespaced": supported values: "Cluster", "Namespaced"'],
    [{ labels: { "a b": "c" } }, 'labels: Invalid value: "a b": name part must consist of'],
    [{ labels: { a: "b c" } }, 'labels[a]: Invalid value: "b c": a valid label must be'],
    [{ annotations: { "a/b/c": "" } }, 'annotations: Invalid value: "a/b/c": a valid label key must consist of'],
    [{ annotations: { a: "x".repeat(300_000) } }, "annotations: Too long: may not be more than 262144 bytes"],
    [
      { columns: [column, { ...column, jsonPath: "status.phase" }] },
      'columns[1].jsonPath: Invalid value: "status.phase": must be a simple json path starting with ., such as .status.phase',
    ],
    [{ columns: [{ ...column, jsonPath: "{.status.phase}" }] }, "such as .status.phase"],
    [{ columns: [{ ...column, jsonPath: "" }] }, "columns[0].jsonPath: Required value: a path such as .status.phase"],
    [{ columns: [{ ...column, name: "" }] }, "columns[0].name: Required value"],
    [
      { columns: [{ ...column, type: "text" }] },
      'columns[0].type: Unsupported value: "text": supported values: "boolean"',
    ],
    [{ columns: [{ ...column, format: "int" }] }, 'columns[0].format: Unsupported value: "int"'],
    [{ columns: [{ ...column, priority: 0.5 }] }, "columns[0].priority: Invalid value: 0.5: must be an integer"],
    [
      { scale: { ...scale, specReplicasPath: ".status.replicas" } },
      'scale.specReplicasPath: Invalid value: ".status.replicas": should be a json path under .spec',
    ],
    [{ scale: { ...scale, statusReplicasPath: "" } }, "scale.statusReplicasPath: Required value"],
    [{ scale: { ...scale, labelSelectorPath: ".metadata.x" } }, "should be a json path under .spec or .status"],
    [
      { selectableFields: [".spec.colour"] },
      'selectableFields[0]: Invalid value: ".spec.colour": is an invalid path: does not refer to a valid field',
    ],
    [
      { selectableFields: [".spec.tags"] },
      'selectableFields[0]: Invalid value: ".spec.tags": must point to a field of type string, boolean or integer, not object',
    ],
    [{ selectableFields: [".metadata.name"] }, "must not point to fields in metadata"],
    [{ selectableFields: ["spec.image"] }, "must be a simple json path starting with ., such as .spec.image"],
    [{ selectableFields: [".spec.image", ".spec.image"] }, 'selectableFields[1]: Duplicate value: ".spec.image"'],
    [
      { selectableFields: Array.from({ length: 9 }, (_, i) => `.spec.tags.t${i}`) },
      "selectableFields: Too many: 9: must have at most 8 items",
    ],
    [
      schema({ type: "string", enum: ["a"], default: "b" }),
      'spec.x.default: Invalid value: "b": Unsupported value: "b": supported values: "a"',
    ],
    [
      schema({ ...item, default: { other: 1 } }),
      'spec.x.default: Invalid value: {"other":1}: must not have unknown fields',
    ],
    [
      schema({ ...item, default: { name: 1 } }),
      'spec.x.default.name: Invalid value: {"name":1}: Invalid value: "integer"',
    ],
    [
      schema({ type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"] }),
      'spec.x.x-kubernetes-list-map-keys: Invalid value: "id": entries must all be names of item properties',
    ],
    [
      schema({ type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
      "this property must have a default or be required",
    ],
    [schema({ type: "array", items: item, "x-kubernetes-list-type": "map" }), "must not be empty if"],
    [
      schema({ type: "array", items: item, "x-kubernetes-list-map-keys": ["name"] }),
      "must only be set if x-kubernetes-list-type is map",
    ],
    [schema({ type: "string", "x-kubernetes-list-type": "set" }), "must only be set for lists, not for type string"],
    [
      schema({ type: "array", items: { type: "string", pattern: "^(?!no)" } }),
      `spec.x[].pattern: Invalid value: "^(?!no)": the regular expressions of the API server (RE2) do not support (?!`,
    ],
    [schema({ type: "string", anyOf: [{ pattern: "(a)\\1" }] }), "do not support \\1"],
    [
      schema({ type: "string", anyOf: [{ type: "string", minLength: 1 }] }),
      "spec.x.anyOf[0].type: Forbidden: is not allowed within allOf, anyOf, oneOf and not",
    ],
  ])("is refused at once: %j", (wrong, text) => {
    const definition = { ...good, ...wrong } as typeof good;
    const message = failure(() => defineKind(definition));
    expect(message).toContain(`defineKind ${definition.kind}: `);
    expect(message).toContain(text);
  });

  it("is rejected with all errors", () => {
    expect(failure(() => defineKind({ ...good, group: "shop", shortNames: ["ST"] }))).toMatch(
      /^defineKind Site: \[group: Invalid value: "shop": .*, shortNames\[0\]: Invalid value: "ST": .*\]$/,
    );
  });

  it("is not reported for unusual but valid definitions", () => {
    const kind = defineKind({
      ...good,
      group: "shop.k8s.io",
      version: "v1alpha1",
      labels: { "app.kubernetes.io/part-of": "shop", empty: "" },
      annotations: { "api-approved.kubernetes.io": "unapproved, an experiment", "Mixed.Case/Key": "any text" },
      shortNames: undefined,
      columns: [{ ...column, jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 }],
      scale: { ...scale, labelSelectorPath: "" },
      selectableFields: [".spec.image", ".spec.tags.zone"],
      spec: typedSchema<object>({
        type: "object",
        properties: {
          image: { type: "string", pattern: "^[(?=]\\(?=\\d\\.[a-z]{1,3}$", default: "(=1.a" },
          tags: { type: "object", additionalProperties: { type: "string" }, default: {} },
          port: {
            "x-kubernetes-int-or-string": true,
            anyOf: [{ type: "integer" }, { type: "string" }],
            default: "http",
          },
          list: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: { ...item, required: ["name"] },
          },
        },
      }),
    });
    expect(kind.crd.metadata).toEqual({
      name: "sites.shop.k8s.io",
      labels: { "app.kubernetes.io/part-of": "shop", empty: "" },
      annotations: { "api-approved.kubernetes.io": "unapproved, an experiment", "Mixed.Case/Key": "any text" },
    });
  });
});
