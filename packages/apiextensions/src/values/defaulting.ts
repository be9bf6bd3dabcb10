import { isRecord, ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { JsonSchema } from "../definition/definition.ts";

/**
 * Fills in defaults, from the top down: a default's own members may bring further defaults. Nothing is filled in where the parent is
 * absent. Changes `value` in place.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting Default
 */
export function applySchemaDefaults(value: unknown, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [i, item] of value.entries()) {
      if (item === null && !items.nullable && items.default !== undefined) value[i] = structuredClone(items.default);
      applySchemaDefaults(value[i], items);
    }
    return;
  }
  if (!isRecord(value)) return;
  const properties = schema.properties ?? {};
  for (const [name, property] of Object.entries(properties)) {
    const isMissing = !Object.hasOwn(value, name) || (value[name] === null && !property.nullable);
    if (property.default !== undefined && isMissing) setOwnMember(value, name, structuredClone(property.default));
  }
  const extra = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  for (const [name, member] of Object.entries(value)) {
    const inner = ownMember(properties, name) ?? extra;
    if (!inner) continue;
    if (!ownMember(properties, name) && member === null && !inner.nullable && inner.default !== undefined)
      setOwnMember(value, name, structuredClone(inner.default));
    applySchemaDefaults(value[name], inner);
  }
}
