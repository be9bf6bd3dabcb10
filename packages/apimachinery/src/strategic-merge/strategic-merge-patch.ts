import { PatchError } from "../patch/patch-error.ts";
import { quote } from "../value/go-format.ts";
import { stringifyJson } from "../value/json.ts";
import { isRecord, ownMember, setOwnMember } from "../value/json-value.ts";
import {
  applyRetainKeys,
  checkOrder,
  deletePrefix,
  type JsonMap,
  mergeKeyValue,
  orderPrefix,
  patchDirective,
  withoutDirectives,
} from "./directives.ts";
import { identityOf, positionsOf } from "./identity.ts";
import { orderItems } from "./order.ts";
import { noPatchSchema, type PatchFieldSchema, type PatchSchema } from "./patch-schema.ts";

/**
 * Returns a copy of the live object with a strategic merge patch applied. The arguments are not modified.
 *
 * @throws {PatchError} with upstream's message if the patch is inconsistent, or an item of a merged list lacks the merge key
 * @see apimachinery util/strategicpatch StrategicMergePatch
 */
export function strategicMergePatch(
  live: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
  schema: PatchSchema,
): Record<string, unknown> {
  return mergeMap(structuredClone(live), structuredClone(patch), schema);
}

function mergeMap(live: JsonMap, patch: JsonMap, schema: PatchSchema): JsonMap {
  const directive = patch[patchDirective];
  if (directive !== undefined) {
    delete patch[patchDirective];
    if (directive === "replace") return patch;
    if (directive === "delete") return {};
    throw new PatchError(
      `unknown patch type: ${shownDirective(directive)} in map: ${stringifyJson({ ...patch, [patchDirective]: directive })}`,
    );
  }
  applyRetainKeys(live, patch);
  mergeOrderedLists(live, patch, schema);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(deletePrefix)) {
      const name = key.slice(deletePrefix.length);
      const list = ownMember(live, name);
      if (Array.isArray(list) && Array.isArray(value)) setOwnMember(live, name, without(list, value));
    } else if (value === null) {
      delete live[key];
    } else if (
      ownMember(live, key) === undefined &&
      isRecord(value) &&
      ownMember(value, patchDirective) !== undefined
    ) {
      // Like upstream, ignore a directive for a value that does not exist.
    } else {
      setOwnMember(live, key, mergeValue(ownMember(live, key), value, schema.field(key) ?? {}));
    }
  }
  return live;
}

function mergeValue(live: unknown, patch: unknown, field: PatchFieldSchema): unknown {
  if (isRecord(live) && isRecord(patch)) {
    return field.strategy === "replace"
      ? patch // the patch replaces the value, including any directives in it
      : mergeMap(live, patch, field.schema ?? noPatchSchema);
  }
  if (Array.isArray(live) && Array.isArray(patch)) {
    return field.strategy === "merge" ? mergeList(live, patch, field) : patch;
  }
  return withoutDirectives(patch);
}

function mergeList(live: readonly unknown[], patch: readonly unknown[], field: PatchFieldSchema): unknown[] {
  if (live.length === 0 && patch.length === 0) return [];
  const [first = patch[0]] = live;
  if (new Set([...live, ...patch].map(goKindOf)).size > 1)
    throw new PatchError(`list element types are not identical: ${stringifyJson([live, patch])}`);
  if (!isRecord(first)) {
    const merged = [...new Set([...live, ...patch])];
    return orderItems(merged, patch, live, undefined);
  }
  const { mergeKey } = field;
  if (mergeKey === undefined) throw new PatchError("cannot merge lists without merge key for type");
  const items = applyItemDirectives(live, patch.map(asMap), mergeKey);
  const merged = [...items.live];
  const positions = positionsOf(merged, mergeKey);
  for (const item of items.patch) {
    mergeKeyValue(item, mergeKey);
    const identity = identityOf(item, mergeKey);
    const position = positions.get(identity);
    if (position === undefined) {
      positions.set(identity, merged.length);
      merged.push(withoutDirectives(item));
    } else merged[position] = mergeValue(merged[position], item, field.schema ? { schema: field.schema } : {});
  }
  return orderItems(merged, items.patch, live, mergeKey);
}

/** Applies the `$patch` items in a list, and removes them from the list. */
function applyItemDirectives(
  live: readonly unknown[],
  patch: readonly JsonMap[],
  mergeKey: string,
): { readonly live: readonly unknown[]; readonly patch: readonly JsonMap[] } {
  const plain: JsonMap[] = [];
  const deleted = new Set<string>();
  let replaces = false;
  for (const item of patch) {
    const directive = item[patchDirective];
    if (directive === undefined) plain.push(item);
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") {
      mergeKeyValue(item, mergeKey);
      deleted.add(identityOf(item, mergeKey));
    } else if (directive === "merge") throw new PatchError("merging lists cannot yet be specified in the patch");
    else throw new PatchError(`unknown patch type: ${shownDirective(directive)} in map: ${stringifyJson(item)}`);
  }
  if (replaces) return { live: plain, patch: [] };
  const kept = deleted.size === 0 ? live : live.filter((existing) => !deleted.has(identityOf(existing, mergeKey)));
  return { live: kept, patch: plain };
}

/** For each list field with a `$setElementOrder`, merges the list in the given order, and removes the field from the patch. */
function mergeOrderedLists(live: JsonMap, patch: JsonMap, schema: PatchSchema): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(orderPrefix)) continue;
    delete patch[directive];
    const name = directive.slice(orderPrefix.length);
    const field = schema.field(name) ?? {};
    if (!Array.isArray(order)) throw new PatchError("invalid patch format of setElementOrder list");
    const before = ownMember(live, name);
    const items = ownMember(patch, name);
    delete patch[name];
    if (items === null) {
      delete live[name];
      continue;
    }
    if (Array.isArray(items)) checkOrder(items, order, field.mergeKey);
    const deletions = ownMember(patch, deletePrefix + name);
    delete patch[deletePrefix + name];
    const kept = Array.isArray(before) && Array.isArray(deletions) ? without(before, deletions) : before;
    const merged = mergedList(kept, items, field);
    if (merged)
      setOwnMember(live, name, orderItems(merged, order, Array.isArray(before) ? before : [], field.mergeKey));
  }
}

function without(list: readonly unknown[], deletions: readonly unknown[]): unknown[] {
  const gone = new Set(deletions);
  return list.filter((item) => !gone.has(item));
}

function mergedList(before: unknown, items: unknown, field: PatchFieldSchema): unknown[] | undefined {
  if (items === undefined) return Array.isArray(before) ? [...before] : undefined;
  if (!Array.isArray(items)) throw new PatchError(`expected a list, but found ${quote(typeof items)}`);
  if (!Array.isArray(before)) return withoutDirectives(items) as unknown[];
  return mergeList(before, items, { ...field, strategy: "merge" });
}

/** Returns the kind (in the sense of Go's reflection) that an item has once upstream has decoded it. */
function goKindOf(item: unknown): string {
  if (Array.isArray(item)) return "slice";
  if (item === null) return "nil";
  return typeof item === "number" && Number.isInteger(item) ? "bigint" : typeof item;
}

function asMap(item: unknown): JsonMap {
  if (!isRecord(item)) throw new PatchError(`expected a map in the list, but found ${stringifyJson(item)}`);
  return item;
}

const shownDirective = (directive: unknown): string =>
  typeof directive === "string" ? directive : stringifyJson(directive);
