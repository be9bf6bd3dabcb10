import { jsonEqual, toStructuralSchema } from "@kubewright/apimachinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runGenerated } from "../testing/run-generated.ts";
import { structuralSchemas } from "../testing/structural-schemas.ts";
import { typeboxSchema } from "./typebox-schema.ts";

const ran = (text: string): unknown =>
  toStructuralSchema(runGenerated(`import { Type } from "typebox";\nexport const schema = ${text};\n`).schema);

describe("a schema as typebox expression", () => {
  it("reproduces 1,000 random structural schemas", () => {
    fc.assert(
      fc.property(structuralSchemas, (schema) => {
        const { text } = typeboxSchema(schema);
        const back = ran(text);
        expect(jsonEqual(back, schema), text).toBe(true);
      }),
      { numRuns: 1_000, seed: 14 },
    );
  });

  it("reads like hand-written code", () => {
    const { text } = typeboxSchema({
      type: "object",
      required: ["image", "port"],
      properties: {
        image: { type: "string", enum: ["a", "b"] },
        port: { type: "integer", default: 80 },
        labels: { type: "object", additionalProperties: { type: "string" }, nullable: true },
        target: { "x-kubernetes-int-or-string": true },
      },
    });
    expect(text).toBe(`Type.Object({
  image: Type.Enum(["a", "b"]),
  port: Type.Integer({ default: 80, "x-kubewright-required": true }),
  labels: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
  target: Type.Optional(Type.Unsafe<number | string>({ "x-kubernetes-int-or-string": true })),
})`);
  });

  it("has exclusive bounds as numbers, as typebox's types require", () => {
    const bounds = { minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true } as const;
    const { text } = typeboxSchema({ type: "number", format: "double", ...bounds });
    expect(text).toBe('Type.Number({ format: "double", exclusiveMinimum: 0, exclusiveMaximum: 1 })');
    expect(ran(text)).toEqual({ type: "number", format: "double", ...bounds });
  });

  it("contains the schema itself if typebox has no equivalent", () => {
    expect(typeboxSchema({ type: "object", additionalProperties: true }).text).toBe(
      'Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, "x-kubewright-verbatim": true })',
    );
  });
});
