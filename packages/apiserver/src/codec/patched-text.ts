import { isRecord, jsonEqual, stringifyJson } from "@kubewright/apimachinery";
import type { TypeSchema } from "../schema/type-schema.ts";

/**
 * A patched object as errors show it: upstream's JSON patch keeps the text of what it does not touch, in the order of the struct, and
 * writes what it touches with sorted keys. Custom resources are maps throughout, so all their keys are sorted.
 */
export function patchedText(value: unknown, original: unknown, schema: TypeSchema | undefined): string {
  return stringifyJson(touched(value, original, schema));
}

function touched(value: unknown, original: unknown, schema: TypeSchema | undefined): unknown {
  if (Array.isArray(value))
    return value.map((item, index) =>
      part(item, Array.isArray(original) ? original[index] : undefined, itemsOf(schema)),
    );
  if (!isRecord(value)) return value;
  const before = isRecord(original) ? original : {};
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, part(value[key], before[key], memberOf(schema, key))]),
  );
}

const part = (value: unknown, original: unknown, schema: TypeSchema | undefined): unknown =>
  schema && original !== undefined && jsonEqual(value, original)
    ? inStructOrder(value, schema)
    : touched(value, original, schema);

function inStructOrder(value: unknown, schema: TypeSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => inStructOrder(item, itemsOf(schema)));
  if (!isRecord(value)) return value;
  const known = schema?.type === "object" ? [...schema.fields.keys()].filter((key) => Object.hasOwn(value, key)) : [];
  const others = Object.keys(value)
    .filter((key) => !known.includes(key))
    .sort();
  return Object.fromEntries(
    [...known, ...others].map((key) => [key, inStructOrder(value[key], memberOf(schema, key))]),
  );
}

const itemsOf = (schema: TypeSchema | undefined): TypeSchema | undefined =>
  schema?.type === "list" ? schema.items : undefined;

function memberOf(schema: TypeSchema | undefined, key: string): TypeSchema | undefined {
  if (schema?.type === "map") return schema.values;
  return schema?.type === "object" ? schema.fields.get(key)?.schema : undefined;
}
