import { PatchError } from "../patch/patch-error.ts";
import { stringifyJson } from "../value/json.ts";
import { isRecord, ownMember } from "../value/json-value.ts";

export const patchDirective = "$patch";
const retainKeysDirective = "$retainKeys";
export const deletePrefix = "$deleteFromPrimitiveList/";
export const orderPrefix = "$setElementOrder/";

export type JsonMap = Record<string, unknown>;

const isDirective = (key: string): boolean =>
  key === patchDirective || key === retainKeysDirective || key.startsWith(deletePrefix) || key.startsWith(orderPrefix);

/** Returns the value that a patch gives a field that does not exist yet, without directives and nulls. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !(isRecord(item) && Object.hasOwn(item, patchDirective))).map(withoutDirectives);
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !isDirective(key) && item !== null)
      .map(([key, item]) => [key, withoutDirectives(item)]),
  );
}

/** Applies a `$retainKeys` directive, which removes all members that it does not list from the live map. */
export function applyRetainKeys(live: JsonMap, patch: JsonMap): void {
  const listed = patch[retainKeysDirective];
  if (listed === undefined) return;
  delete patch[retainKeysDirective];
  if (!Array.isArray(listed)) throw new PatchError("invalid patch format of retainKeys");
  const kept = new Set<unknown>(listed);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !kept.has(key))
      throw new PatchError("invalid patch format of retainKeys");
  }
  for (const key of Object.keys(live)) if (!kept.has(key)) delete live[key];
}

export function mergeKeyValue(item: JsonMap, mergeKey: string): unknown {
  const value = ownMember(item, mergeKey);
  if (value === undefined)
    throw new PatchError(`map: ${stringifyJson(item)} does not contain declared merge key: ${mergeKey}`);
  return value;
}

/** Checks that a list order contains all items that the patch sets, in the same order as in the patch. */
export function checkOrder(
  patchItems: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): void {
  const identity = (item: unknown): unknown =>
    mergeKey !== undefined && isRecord(item) ? ownMember(item, mergeKey) : item;
  const set = patchItems.filter((item) => !(isRecord(item) && item[patchDirective] === "delete"));
  let position = 0;
  for (const listed of order) {
    if (position < set.length && identity(set[position]) === identity(listed)) position++;
  }
  if (position < set.length)
    throw new PatchError(
      `The order in patch list:\n${stringifyJson(patchItems)}\n doesn't match $setElementOrder list:\n${stringifyJson(order)}\n`,
    );
}
