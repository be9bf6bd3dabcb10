import { isRecord, ownMember, setOwnMember } from "../value/json-value.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/**
 * Adds a schema's defaults to a value, in place. Defaults are added from the outside in, so that default values also
 * receive the defaults of their own members.
 *
 * @see apiextensions-apiserver apiserver/schema/defaulting Default
 */
export function applySchemaDefaults(value: unknown, schema: StructuralSchema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) applySchemaDefaults(item, schema.items);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    const isAbsent = !Object.hasOwn(value, name) || value[name] === undefined;
    if (isAbsent || (value[name] === null && property.nullable !== true))
      setOwnMember(value, name, structuredClone(property.default));
  }
  for (const [name, member] of Object.entries(value)) {
    const known = ownMember(schema.properties, name);
    if (known) applySchemaDefaults(member, known);
    else if (isRecord(schema.additionalProperties))
      applySchemaDefaults(member, schema.additionalProperties as StructuralSchema);
  }
}
