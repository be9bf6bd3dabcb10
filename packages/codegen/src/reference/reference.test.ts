import type { StructuralSchema } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { sample } from "../testing/sample-definition.ts";
import { editorSchema } from "./editor-schema.ts";
import { referenceText } from "./reference-text.ts";

const [version] = sample.spec.versions;
const ofSpec = (properties: Record<string, StructuralSchema>, more: StructuralSchema = {}) => {
  const spec: StructuralSchema = { type: "object", properties, ...more };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec }, required: ["spec"] } };
  return { ...sample, spec: { ...sample.spec, versions: [{ ...version, schema }] } };
};

describe("the schema for editors", () => {
  it("says what the server takes", () => {
    const schema = editorSchema(
      ofSpec({
        size: { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 9 },
        port: { "x-kubernetes-int-or-string": true },
        color: { type: "string", enum: ["red"], nullable: true },
        map: { type: "object", additionalProperties: { type: "string" } },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        any: { "x-kubernetes-preserve-unknown-fields": true },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        one: {
          type: "object",
          properties: { a: { type: "string" } },
          oneOf: [{ required: ["a"], properties: { a: { minLength: 1 } } }],
        },
      }),
    );
    expect(schema).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "Shop",
      type: "object",
      additionalProperties: false,
      required: ["apiVersion", "kind", "metadata", "spec"],
      properties: {
        apiVersion: { const: "example.com/v1" },
        kind: { const: "Shop" },
        metadata: { type: "object" },
        spec: {
          type: "object",
          additionalProperties: false,
          properties: {
            size: { type: "integer", exclusiveMinimum: 1, maximum: 9 },
            port: { type: ["integer", "string"] },
            color: { type: ["string", "null"], enum: ["red", null] },
            map: { type: "object", additionalProperties: { type: "string" } },
            open: { type: "object" },
            any: {},
            tags: { type: "array", items: { type: "string" }, uniqueItems: true },
            one: {
              type: "object",
              additionalProperties: false,
              properties: { a: { type: "string" } },
              oneOf: [{ required: ["a"], properties: { a: { minLength: 1 } } }],
            },
          },
        },
      },
    });
  });

  it("is of a version that is there", () => {
    expect(editorSchema(sample, "v1").title).toBe("Shop");
    expect(() => editorSchema(sample, "v2")).toThrow("shops.example.com: no version v2 that has a schema");
  });
});

describe("the reference", () => {
  it("has every field, with type, default and what is wanted", () => {
    expect(referenceText(sample)).toMatchSnapshot();
  });

  it("has an anchor of its own for each field", () => {
    const a: StructuralSchema = { type: "object", properties: { x: { type: "string" } } };
    const text = referenceText(
      ofSpec({
        "a.b": a,
        a: { type: "object", properties: { x: { type: "string" }, b: a } },
        "a[]": a,
        "a-b": a,
        list: { type: "array", items: a },
        map: { type: "object", additionalProperties: a },
      }),
    );
    const anchors = [...text.matchAll(/<a id="([^"]*)">/g)].map(([, id]) => id);
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(anchors).toContain("shop-v1-spec.a.x");
    expect(anchors).toContain("shop-v1-spec.list--.x");
  });

  it("is not left by what others wrote", () => {
    const text = referenceText(
      ofSpec(
        { a: { type: "string", description: "a | b\n\n<script>{{ x }}", default: "`|`" } },
        { description: "x\ny" },
      ),
    );
    const line = text.split("\n").find((one) => one.includes("spec.a"));
    expect(line).toContain("a \\| b<br><br>&lt;script>&#123;&#123; x }}");
    expect(line).toContain('``"`\\|`"``');
    expect(line?.replaceAll("\\|", "").split("|")).toHaveLength(7);
  });
});
