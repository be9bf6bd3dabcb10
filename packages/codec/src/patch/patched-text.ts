import { isRecord, setOwnMember, stringifyJson } from "@kubewright/apimachinery";
import type { FieldSchema, TypeSchema } from "../schema/type-schema.ts";
import { applyJsonPatch } from "./json-patch.ts";
import type { PatchBody } from "./patch-body.ts";

/**
 * A patched object as errors show it: upstream's library keeps the text of what a patch does not reach, in the order of the struct,
 * and writes what it reaches with sorted keys. Custom resources are maps throughout, so all their keys are sorted.
 *
 * @param schema of the original; `undefined` for custom resources
 */
export function patchedText(patch: PatchBody, original: unknown, schema: TypeSchema | undefined): string {
  const before = inStructOrder(original, schema);
  if (patch.type === "json") return goJson(afterOperations(before, patch));
  return goJson(patch.type === "merge" ? merged(before, patch.patch) : patch.patch);
}

/** JSON as Go writes it, with the signs of HTML escaped. */
function goJson(value: unknown): string {
  return stringifyJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function afterOperations(before: unknown, { operations }: Extract<PatchBody, { readonly type: "json" }>): unknown {
  const reached = new Set<object>();
  return sortedWhere(applyJsonPatch(before, operations, reached), reached);
}

/** The value with the keys sorted of all that a patch led through. */
function sortedWhere(value: unknown, reached: ReadonlySet<object>): unknown {
  if (Array.isArray(value)) return value.map((item) => sortedWhere(item, reached));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value);
  return Object.fromEntries(
    (reached.has(value) ? keys.sort() : keys).map((key) => [key, sortedWhere(value[key], reached)]),
  );
}

function merged(before: unknown, patch: unknown): unknown {
  if (!isRecord(before)) return sortedWithoutNulls(patch);
  if (!isRecord(patch)) return patch; // as it was sent
  const result: Record<string, unknown> = {};
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(patch)])].sort()) {
    if (!Object.hasOwn(patch, key)) setOwnMember(result, key, before[key]);
    else if (patch[key] !== null)
      setOwnMember(
        result,
        key,
        Object.hasOwn(before, key) ? merged(before[key], patch[key]) : sortedWithoutNulls(patch[key]),
      );
  }
  return result;
}

/** An object that no patch made: all its keys sorted. */
export const sortedText = (value: unknown): string => goJson(inStructOrder(value, undefined));

function sortedWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedWithoutNulls);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).filter((key) => value[key] !== null);
  return Object.fromEntries(keys.sort().map((key) => [key, sortedWithoutNulls(value[key])]));
}

function inStructOrder(value: unknown, schema: TypeSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => inStructOrder(item, itemsOf(schema)));
  if (!isRecord(value)) return value;
  if (schema?.type === "either") return inStructOrder(value, schema.object);
  const fields = schema?.type === "object" ? schema.fields : new Map<string, FieldSchema>();
  // in Go the type of an object is told kind first
  const typeFirst = ["kind", "apiVersion"].filter((key) => fields.get(key)?.number === 0);
  const known = [...new Set([...typeFirst, ...fields.keys()])].filter((key) => Object.hasOwn(value, key));
  const others = Object.keys(value)
    .filter((key) => !known.includes(key))
    .sort();
  return Object.fromEntries(
    [...known, ...others].map((key) => [key, inStructOrder(value[key], memberOf(schema, key))]),
  );
}

const itemsOf = (schema: TypeSchema | undefined): TypeSchema | undefined => {
  if (schema?.type === "either") return itemsOf(schema.other);
  return schema?.type === "list" ? schema.items : undefined;
};

function memberOf(schema: TypeSchema | undefined, key: string): TypeSchema | undefined {
  if (schema?.type === "either") return memberOf(schema.object, key);
  if (schema?.type === "map") return schema.values;
  return schema?.type === "object" ? schema.fields.get(key)?.schema : undefined;
}
