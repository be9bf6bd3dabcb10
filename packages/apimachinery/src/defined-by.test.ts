import { describe, expect, expectTypeOf, it } from "vitest";
import { definedBy } from "./defined-by.ts";
import { defineKind } from "./definition/define-kind.ts";
import type { Kind, ObjectOf } from "./object/kind.ts";
import type { KubeObject } from "./object/object.ts";
import { toStructuralSchema } from "./schema/normalise.ts";
import { typedSchema } from "./schema/schema-type.ts";
import { withDefinition } from "./with-definition.ts";

const spec = typedSchema<{ size: number }>({
  type: "object",
  properties: { size: { type: "integer", default: 1 } },
});
const Box = defineKind({ group: "shop.example.com", version: "v1", kind: "Box", scope: "Namespaced", spec });

describe("definedBy", () => {
  it("returns the kind of a definition, with its validation", () => {
    const kind = definedBy<KubeObject & { spec: { size: number } }>(Box.crd);
    expectTypeOf(kind).toExtend<Kind<KubeObject & { spec: { size: number } }>>();
    expect(kind).toMatchObject({ group: "shop.example.com", version: "v1", kind: "Box", plural: "boxes" });
    expect(kind.parse({ metadata: { name: "a" }, spec: { other: 1 } }).spec).toEqual({ size: 1 });
    expect(() => kind.parse({ metadata: { name: "a" }, spec: { size: "x" } })).toThrow("spec.size");
  });

  it("reports what is missing", () => {
    expect(() => definedBy({ apiVersion: "v1", kind: "Pod" })).toThrow("not a CustomResourceDefinition");
    expect(() => definedBy(Box.crd, "v2")).toThrow("boxes.shop.example.com: no version v2; it has v1");
    const [version] = Box.crd.spec.versions;
    const bare = { ...Box.crd, spec: { ...Box.crd.spec, versions: [{ ...version, schema: undefined }] } };
    expect(() => definedBy(bare)).toThrow("boxes.shop.example.com: version v1 has no schema");
  });
});

describe("withDefinition", () => {
  it("adds a schema of the whole object to the definition, the validation and the type", () => {
    const schema = typedSchema<{ data?: Record<string, string> }>({
      type: "object",
      properties: { data: { type: "object", additionalProperties: { type: "string" } } },
      required: ["spec", "data"],
    });
    const kind = withDefinition(Box, { schema, version: { deprecated: true }, names: { listKind: "Boxes" } });
    expectTypeOf<ObjectOf<typeof kind>["data"]>().toEqualTypeOf<Record<string, string> | undefined>();
    expect(() => kind.parse({ metadata: { name: "a" }, spec: {} })).toThrow("data: Required value");
    expect(kind.parse({ metadata: { name: "a" }, spec: {}, data: { a: "b" } }).data).toEqual({ a: "b" });
    expect(kind.crd.spec.names.listKind).toBe("Boxes");
    expect(kind.crd.spec.versions[0]).toMatchObject({
      deprecated: true,
      schema: { openAPIV3Schema: { properties: { spec: { type: "object" } } } },
    });
    expect(Box.crd.spec.versions[0]).not.toHaveProperty("deprecated");
  });
});

describe("schemas in wire form", () => {
  it("do not change if they have the keyword for it", () => {
    const wire = { type: "object", required: ["a"], properties: { a: { type: "string", default: "x" } } };
    expect(toStructuralSchema({ ...wire, "x-kubewright-verbatim": true })).toEqual(wire);
    expect(toStructuralSchema(wire)).not.toHaveProperty("required");
  });

  it("keep a field with a default required if it has the keyword for it", () => {
    const a = { type: "string", default: "x" };
    const marked = { type: "object", required: ["a"], properties: { a: { ...a, "x-kubewright-required": true } } };
    expect(toStructuralSchema(marked)).toEqual({ type: "object", required: ["a"], properties: { a } });
  });
});
