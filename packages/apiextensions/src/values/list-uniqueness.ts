import {
  type FieldError,
  fieldError,
  isRecord,
  ownMember,
  setOwnMember,
  stringifyJson,
} from "@kubewright/apimachinery";
import type { JsonSchema } from "../definition/definition.ts";

/**
 * Returns an error for each repeated item: an item that occurs twice in a set, or has the same keys as another item in a keyed list. As in
 * upstream, the third and later occurrences of an item are not reported.
 *
 * @see apiextensions-apiserver pkg/apiserver/schema/listtype ValidateListSetsAndMaps
 */
export function duplicateItems(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return [
      ...repeated(value, schema, path),
      ...(items ? value.flatMap((item, i) => duplicateItems(item, items, `${path}[${i}]`)) : []),
    ];
  }
  if (!isRecord(value)) return [];
  const extra = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  return Object.entries(value).flatMap(([name, member]) => {
    const property = ownMember(schema.properties, name);
    if (property) return duplicateItems(member, property, path === "" ? name : `${path}.${name}`);
    return extra ? duplicateItems(member, extra, `${path}[${name}]`) : [];
  });
}

function repeated(list: readonly unknown[], schema: JsonSchema, path: string): FieldError[] {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [i, item] of list.entries()) {
    if (type === "map" && item !== null && !isRecord(item)) {
      errors.push(fieldError.invalid(`${path}[${i}]`, item, "must be an object for an array of list-type map"));
      continue;
    }
    // As in upstream, null has no keys. That it is not an object is an error of its type.
    const identity = type === "set" ? item : keysOf(item ?? {}, keys, schema.items);
    if (identity === undefined) continue;
    const text = stringifyJson(identity);
    const count = (seen.get(text) ?? 0) + 1;
    if (count === 2) errors.push(fieldError.duplicate(`${path}[${i}]`, identity));
    seen.set(text, count);
  }
  return errors;
}

function keysOf(item: unknown, keys: readonly string[], schema: JsonSchema | undefined): unknown {
  if (!isRecord(item)) return undefined;
  const found: Record<string, unknown> = {};
  for (const key of keys) {
    const value = ownMember(item, key) ?? ownMember(schema?.properties, key)?.default;
    if (value !== undefined) setOwnMember(found, key, value);
  }
  return found;
}
