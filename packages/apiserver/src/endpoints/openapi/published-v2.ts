import { isRecord, ownMember } from "@kubewright/apimachinery";
import type { Json } from "./schema-models.ts";

const notInV2: ReadonlySet<string> = new Set(["allOf", "oneOf", "anyOf", "not", "nullable", "default"]);

/**
 * Converts a CRD's schema to OpenAPI v2. Omits parts that v2 cannot express, and parts that would make kubectl reject
 * valid values.
 *
 * @see apiextensions-apiserver pkg/controller/openapi/v2/conversion.go
 */
export function publishedInV2(schema: Json): Json {
  const next: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([key]) => !notInV2.has(key)));
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.nullable === true) delete next.type;
  if (schema.nullable === true || isOpen) {
    delete next.items;
    delete next.properties;
  }
  if (next.type === "array" && next.items === undefined) delete next.type;
  if (isOpen && next.type === "object") delete next.type;
  requireOnlyNonNull(next);
  if (isRecord(next.properties))
    next.properties = Object.fromEntries(
      Object.entries(next.properties).map(([name, value]) => [name, isRecord(value) ? publishedInV2(value) : value]),
    );
  if (isRecord(next.items)) next.items = publishedInV2(next.items);
  if (isRecord(next.additionalProperties)) next.additionalProperties = publishedInV2(next.additionalProperties);
  return next;
}

/** Removes nullable members from `required`, because v2 cannot express a required member that may be null. */
function requireOnlyNonNull(schema: Record<string, unknown>): void {
  if (!Array.isArray(schema.required)) return;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const isNullable = (value: unknown): boolean => isRecord(value) && value.nullable === true;
  const required = schema.required.filter((name) => !isNullable(ownMember(properties, String(name))));
  if (required.length === 0 || isNullable(schema.additionalProperties)) delete schema.required;
  else schema.required = required;
}
