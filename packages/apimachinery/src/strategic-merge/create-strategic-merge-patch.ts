import { isSameMember, keepIntegerOf, withIntegersOf } from "../value/json.ts";
import { isRecord, jsonEqual, ownMember, setOwnMember } from "../value/json-value.ts";
import { deletePrefix, type JsonMap, mergeKeyValue, orderPrefix, patchDirective } from "./directives.ts";
import { identityOf } from "./identity.ts";
import { noPatchSchema, type PatchFieldSchema, type PatchSchema } from "./patch-schema.ts";

/**
 * Returns the strategic merge patch that turns `from` into `to`. The patch is empty if both are equal. For merged
 * lists, it contains only the items that differ, and the order of all items. Members of `to` that are `undefined` are
 * treated as absent. The patch removes members from a map by setting them to null; upstream's patches may list the
 * members to retain instead.
 *
 * @throws {PatchError} if an item of a merged list lacks the merge key
 * @see apimachinery util/strategicpatch CreateTwoWayMergePatch
 */
export function createStrategicMergePatch(from: unknown, to: unknown, schema: PatchSchema): Record<string, unknown> {
  return mapDifference(isRecord(from) ? from : {}, isRecord(to) ? to : {}, schema);
}

function mapDifference(before: JsonMap, after: JsonMap, schema: PatchSchema): JsonMap {
  const patch: JsonMap = {};
  for (const key of Object.keys(before))
    if (before[key] !== undefined && ownMember(after, key) === undefined) setOwnMember(patch, key, null);
  for (const [key, value] of Object.entries(after)) {
    const old = ownMember(before, key);
    if (value === undefined || isSameMember(before, key, after, key, jsonEqual(old, value))) continue;
    const field = schema.field(key) ?? {};
    if (isRecord(old) && isRecord(value) && field.strategy !== "replace") {
      const inner = mapDifference(old, value, field.schema ?? noPatchSchema);
      if (Object.keys(inner).length > 0) setOwnMember(patch, key, inner);
    } else if (Array.isArray(old) && Array.isArray(value) && field.strategy === "merge") {
      Object.assign(patch, listDifference(key, old, value, field));
    } else {
      setOwnMember(patch, key, value);
      keepIntegerOf(after, key, patch, key);
    }
  }
  return patch;
}

function listDifference(key: string, before: readonly unknown[], after: readonly unknown[], field: PatchFieldSchema) {
  if (!isRecord(before[0] ?? after[0])) return valueListDifference(key, before, after);
  const { mergeKey = "" } = field;
  const nameOf = (item: unknown): JsonMap => ({ [mergeKey]: mergeKeyValue(asMap(item), mergeKey) });
  const known = new Map(before.map((item) => [identityOf(nameOf(item), mergeKey), asMap(item)]));
  const items: JsonMap[] = [];
  for (const item of after) {
    const identity = identityOf(nameOf(item), mergeKey);
    const old = known.get(identity);
    known.delete(identity);
    const changed = old ? mapDifference(old, asMap(item), field.schema ?? noPatchSchema) : asMap(item);
    if (!old || Object.keys(changed).length > 0)
      items.push(withIntegersOf(asMap(item), { ...changed, ...nameOf(item) }));
  }
  for (const gone of known.values()) items.push({ [patchDirective]: "delete", ...nameOf(gone) });
  return { [orderPrefix + key]: after.map(nameOf), ...(items.length > 0 ? { [key]: items } : {}) };
}

function valueListDifference(key: string, before: readonly unknown[], after: readonly unknown[]): JsonMap {
  const added = after.filter((value) => !before.includes(value));
  const gone = before.filter((value) => !after.includes(value));
  return {
    [orderPrefix + key]: after,
    ...(gone.length > 0 ? { [deletePrefix + key]: gone } : {}),
    ...(added.length > 0 ? { [key]: added } : {}),
  };
}

const asMap = (item: unknown): JsonMap => (isRecord(item) ? item : {});
