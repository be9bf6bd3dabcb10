import { apiVersionOf, isRecord, type StructuralSchema } from "@kubewright/apimachinery";
import { readDefinition } from "../source/definition.ts";

type JsonSchema = Record<string, unknown>;

/**
 * Returns a JSON schema (draft 07) with which editors complete and validate a kind's files. Fields that the server would drop are errors.
 * CEL rules, which the server checks, are not included.
 *
 * @param version version of the schema; default: the stored version
 * @throws {Error} if the argument is not a CRD, or has no such version with a schema
 */
export function editorSchema(crd: object, version?: string): JsonSchema {
  const { metadata, spec } = readDefinition(crd);
  const found = spec.versions.find(({ name, storage }) => (version === undefined ? storage : name === version));
  const schema = found?.schema?.openAPIV3Schema;
  if (!found || !schema)
    throw new Error(
      `${metadata.name} has no ${version === undefined ? "stored version" : `version ${version}`} with a schema`,
    );
  const { group, names } = spec;
  const whole = plain(schema);
  const required = isRecord(whole) && Array.isArray(whole.required) ? whole.required : [];
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: names.kind,
    ...whole,
    properties: {
      ...(isRecord(whole.properties) ? whole.properties : {}),
      apiVersion: { const: apiVersionOf({ group, version: found.name }) },
      kind: { const: names.kind },
      metadata: { type: "object" },
    },
    required: [...new Set(["apiVersion", "kind", "metadata", ...required])],
  };
}

const copied = [
  "title",
  "description",
  "default",
  "format",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
] as const;

function plain(schema: StructuralSchema): JsonSchema {
  const { properties, items, additionalProperties, enum: values, nullable } = schema;
  const out: JsonSchema = {};
  for (const name of copied) if (schema[name] !== undefined) out[name] = schema[name];
  const type = schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type;
  if (type !== undefined) out.type = nullable ? [type, "null"].flat() : type;
  if (values) out.enum = nullable && !values.includes(null) ? [...values, null] : values;
  bounds(schema, out);
  if (properties)
    out.properties = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plain(one)]));
  if (items) out.items = plain(items);
  if (schema["x-kubernetes-list-type"] === "set") out.uniqueItems = true;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] || additionalProperties === true;
  if (isRecord(additionalProperties)) out.additionalProperties = plain(additionalProperties as StructuralSchema);
  else if (schema.type === "object" && !isOpen) out.additionalProperties = false;
  if (schema["x-kubernetes-embedded-resource"])
    out.required = [...new Set([...(schema.required ?? []), "apiVersion", "kind"])];
  return { ...out, ...branches(schema) };
}

function bounds(schema: StructuralSchema, out: JsonSchema): void {
  for (const [name, flag] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const)
    if (schema[name] !== undefined) out[schema[flag] ? flag : name] = schema[name];
}

/** Returns branches, which constrain values but define no fields. */
function branches({ allOf, anyOf, oneOf, not }: StructuralSchema): JsonSchema {
  return {
    ...(allOf ? { allOf: allOf.map(checksOnly) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(checksOnly) } : {}),
    ...(oneOf ? { oneOf: oneOf.map(checksOnly) } : {}),
    ...(not ? { not: checksOnly(not) } : {}),
  };
}

function checksOnly(schema: StructuralSchema): JsonSchema {
  const { additionalProperties: _, ...out } = plain(schema);
  const { properties = {}, items } = schema;
  const inner = Object.entries(properties).map(([name, one]) => [name, checksOnly(one)] as const);
  return {
    ...out,
    ...(inner.length > 0 ? { properties: Object.fromEntries(inner) } : {}),
    ...(items ? { items: checksOnly(items) } : {}),
  };
}
