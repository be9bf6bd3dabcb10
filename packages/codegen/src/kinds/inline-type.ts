import type { StructuralSchema } from "@kubewright/apimachinery";
import { memberName } from "../text/literal.ts";

/** Returns the TypeScript type for a schema, as a single expression without named types. */
export function inlineType(schema: StructuralSchema): string {
  const type = notNull(schema);
  return schema.nullable && type !== "unknown" ? `${type} | null` : type;
}

function notNull(schema: StructuralSchema): string {
  const { type, enum: values, properties = {}, items, additionalProperties } = schema;
  if (schema["x-kubernetes-int-or-string"]) return "number | string";
  if (values && values.length > 0 && values.every(isScalar))
    return [...new Set(values.map((value) => JSON.stringify(value)))].join(" | ");
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "string":
      return type;
    case "array":
      return `Array<${items ? inlineType(items) : "unknown"}>`;
    case "object":
      break;
    default:
      return "unknown";
  }
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || additionalProperties === true;
  const required = new Set(schema.required);
  const members = Object.entries(properties).map(
    ([name, property]) => `${memberName(name)}${required.has(name) ? "" : "?"}: ${inlineType(property)}`,
  );
  if (members.length > 0) return `{ ${[...members, ...(isOpen ? ["[field: string]: unknown"] : [])].join("; ")} }`;
  if (typeof additionalProperties === "object") return `Record<string, ${inlineType(additionalProperties)}>`;
  return `Record<string, ${isOpen ? "unknown" : "never"}>`;
}

const isScalar = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);
