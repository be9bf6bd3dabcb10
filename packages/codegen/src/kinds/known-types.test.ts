import type { ObjectSchema, TypeSchema } from "@kubewright/codec/schema";
import { describe, expect, it } from "vitest";
import type { SourceSchema } from "../source/served-kind.ts";
import { compile } from "../testing/compile.ts";
import { knownType, knownTypes, untyped } from "./known-types.ts";

const scalars: Readonly<Record<string, SourceSchema>> = {
  bool: { type: "boolean" },
  double: { type: "number" },
  int32: { type: "integer" },
  int64: { type: "integer" },
  Quantity: { "x-kubernetes-int-or-string": true },
  IntOrString: { "x-kubernetes-int-or-string": true },
};

/** Returns the schema that a CRD has for a field with a built-in type. */
function schemaOf(type: TypeSchema): SourceSchema {
  switch (type.type) {
    case "scalar":
      return scalars[type.scalar] ?? { type: "string" };
    case "list":
      return { type: "array", items: schemaOf(type.items) };
    case "map":
      return { type: "object", additionalProperties: schemaOf(type.values) };
    case "object":
      return objectSchemaOf(type);
    default:
      return { "x-kubernetes-preserve-unknown-fields": true };
  }
}

const fieldsOf = ({ name: type, fields }: ObjectSchema) =>
  [...fields.values()].filter(({ name }) => !untyped.has(`${type}.${name}`));

function objectSchemaOf(type: ObjectSchema, without: readonly string[] = []): SourceSchema & { properties: object } {
  if (type.name === "ObjectMeta") return { type: "object", properties: { labels: schemaOf(labels) } };
  const fields = fieldsOf(type).filter(({ name }) => !without.includes(name));
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schemaOf(schema)]));
  return { type: "object", properties, required: fields.filter((field) => field.required).map(({ name }) => name) };
}

const labels: TypeSchema = { type: "map", values: { type: "scalar", scalar: "string" } };
const typeOf = (name: string): ObjectSchema => {
  const found = knownTypes().find((one) => one.name === name);
  if (!found) throw new Error(`no type ${name}`);
  return found.schema;
};
const members: Readonly<Record<string, string>> = {
  PodAntiAffinity: "podAntiAffinity",
  SecretKeySelector: "passwordSecret",
  ConfigMapKeySelector: "configMapRef",
  LabelSelectorRequirement: "matchExpressions",
};

describe("a known type", () => {
  it.each(knownTypes())("$name is found by its schema", ({ name, schema }) => {
    expect(knownType(schemaOf(schema), members[name] ?? "x")).toBe(name);
  });

  it("may have fields that are newer than the schema's", () => {
    const pod = typeOf("PodSpec");
    expect(knownType(objectSchemaOf(pod, ["schedulingGroup", "hostnameOverride"]), "x")).toBe("PodSpec");
    expect(knownType(objectSchemaOf(pod, ["volumes"]), "x"), "an old field is missing").toBeUndefined();
    expect(knownType(objectSchemaOf(typeOf("LabelSelector"), ["matchExpressions"]), "x")).toBeUndefined();
  });

  it.each<[string, Partial<SourceSchema>, object]>([
    ["another field", {}, { more: { type: "string" } }],
    ["a narrower field", {}, { key: { type: "string", enum: ["a", "b"] } }],
    ["a nullable field", {}, { key: { type: "string", nullable: true } }],
    ["a field of another type", {}, { key: { type: "integer" } }],
    ["an optional field that must be set", { required: [] }, {}],
    ["a required field without default", { required: ["key", "operator", "values"] }, {}],
    ["any field", { "x-kubernetes-preserve-unknown-fields": true }, {}],
  ])("is not used for a schema with %s", (_what, schema, properties) => {
    const requirement = objectSchemaOf(typeOf("LabelSelectorRequirement"));
    const changed = { ...requirement, ...schema, properties: { ...requirement.properties, ...properties } };
    expect(knownType(changed, "matchExpressions")).toBeUndefined();
  });

  it("is not used for a template if the server drops its metadata", () => {
    const template = objectSchemaOf(typeOf("PodTemplateSpec"));
    const pruned = { ...template, properties: { ...template.properties, metadata: { type: "object" } } };
    expect(knownType(pruned, "template")).toBeUndefined();
  });

  it("depends on the field's name if several types have the same fields", () => {
    const schema = schemaOf(typeOf("SecretKeySelector"));
    expect(["tokenSecretRef", "configMapKeyRef", "other"].map((name) => knownType(schema, name))).toEqual([
      "SecretKeySelector",
      "ConfigMapKeySelector",
      undefined,
    ]);
  });

  it("has its fields in TypeScript as well, and so do the types of its fields", () => {
    const all = new Map<string, ObjectSchema>();
    const visit = (type: TypeSchema): void => {
      if (type.type === "list") visit(type.items);
      if (type.type !== "object" || type.name === undefined || type.name === "ObjectMeta" || all.has(type.name)) return;
      all.set(type.name, type);
      for (const field of fieldsOf(type)) visit(field.schema);
    };
    for (const { schema } of knownTypes()) visit(schema);
    const lines = [...all].map(([name, schema]) => {
      const fields = fieldsOf(schema).map((field) => JSON.stringify(field.name));
      return `export const ${name}Fields: Same<${fields.join(" | ")}, keyof Wire<models.${clientName(name)}>> = true;`;
    });
    const exported = knownTypes().map(({ name }) => name);
    const text = `import type * as models from "@kubernetes/client-node/dist/gen/models/all.js";
import type { ${exported.join(", ")}, Wire } from "@kubewright/client/kinds";
type Same<A, B> = [Exclude<A, B>, Exclude<B, A>] extends [never, never] ? true : [Exclude<A, B>, Exclude<B, A>];
export type All = [${exported.join(", ")}];
${lines.join("\n")}\n`;
    expect(compile({ "fields.ts": text })).toBe("");
  }, 60_000);
});

/** Returns the name that client-node gives a type. */
const clientName = (name: string): string => (name === "ResourceClaim" ? "CoreV1ResourceClaim" : `V1${name}`);
