import { isRecord, ownMember, setOwnMember } from "../value/json-value.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/**
 * Returns a copy of a value without fields that are not in its schema, and without nulls that the schema does not allow.
 *
 * @see apiextensions-apiserver apiserver/schema/pruning Prune and defaulting PruneNonNullableNullsWithoutDefaults
 */
export function pruneToSchema(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => pruneToSchema(item, items)) : value;
  }
  if (!isRecord(value)) return value;
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const additional = isRecord(schema.additionalProperties)
    ? (schema.additionalProperties as StructuralSchema)
    : undefined;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const embedded = schema["x-kubernetes-embedded-resource"] === true && embeddedFields.has(name);
    const known = ownMember(schema.properties, name) ?? additional;
    if (known === undefined) {
      if (keepsUnknown || embedded || schema.additionalProperties === true) setOwnMember(result, name, member);
    } else if (member !== null || known.nullable === true || accepts(known)) {
      setOwnMember(result, name, pruneToSchema(member, known));
    }
  }
  return result;
}

const embeddedFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Reports whether a schema accepts null. A schema without a type accepts all values. */
const accepts = (schema: StructuralSchema): boolean =>
  schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true;
