import { isRecord, mutableCopy, ownMember, setOwnMember } from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import { atomOf, ItemError, itemElement, itemSchema, memberOf } from "./atom.ts";
import type { PathElement } from "./path-element.ts";

/**
 * Merges an applied configuration into a live value, and returns the result. Maps are merged by member, keyed lists by item, and sets by
 * value; everything else is replaced as a whole. The inputs are not changed.
 *
 * @see structured-merge-diff typed Merge
 */
export function mergeApplied(live: unknown, applied: unknown, schema: TypeSchema): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return withoutSharing(applied);
  const atom = atomOf(schema, applied);
  const liveAtom = atomOf(schema, live);
  const sameShape = live === null || applied === null || atom.type === liveAtom.type;
  if (atom.type === "scalar" || atom.atomic || !sameShape) return withoutSharing(applied);
  if (atom.type === "map") return mergeMembers(live, applied, atom.schema);
  return mergeItems(live, applied, atom.schema);
}

const withoutSharing = (value: unknown): unknown => mutableCopy(value);

function mergeMembers(live: unknown, applied: unknown, schema: TypeSchema): unknown {
  const [left, right] = [isRecord(live) ? live : {}, isRecord(applied) ? applied : {}];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (names.size === 0) return applied;
  const result: Record<string, unknown> = {};
  for (const name of names)
    setOwnMember(result, name, mergeApplied(ownMember(left, name), ownMember(right, name), memberOf(schema, name)));
  return result;
}

interface Keyed {
  readonly element: PathElement;
  readonly item: unknown;
}

function mergeItems(live: unknown, applied: unknown, schema: TypeSchema): unknown {
  const [left, right] = [keyed(live, schema), keyed(applied, schema)];
  if (left.length === 0 && right.length === 0) return applied;
  const lefts = firstOf(left);
  const rights = firstOf(right);
  const shared = right.filter(({ element }) => lefts.has(element)).map(({ element }) => element);
  const result: unknown[] = [];
  const done = new Set<PathElement>();
  const merge = (element: PathElement): void => {
    done.add(element);
    result.push(mergeApplied(lefts.get(element), rights.get(element), itemSchema(schema)));
    if (shared[0] === element) shared.shift();
  };
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const [from, to] = [left[l], right[r]];
    if (from && to && from.element === to.element) {
      merge(from.element);
      l++;
      r++;
    } else if (from && to && rights.has(from.element) && shared[0] !== undefined && shared[0] !== from.element) {
      l++; // this item will be inserted in the applied order
    } else if (from && !rights.has(from.element)) {
      result.push(from.item);
      l++;
    } else {
      if (from && done.has(from.element)) l++;
      if (to) {
        merge(to.element);
        r++;
      }
    }
  }
  return result;
}

/**
 * Returns the items, keyed by path element. An element that occurs more than once maps to `undefined`. Its items then
 * keep their own values, unless the configuration contains the element.
 */
function firstOf(items: readonly Keyed[]): Map<PathElement, unknown> {
  const values = new Map<PathElement, unknown>();
  for (const { element, item } of items) values.set(element, values.has(element) ? undefined : item);
  return values;
}

function keyed(list: unknown, schema: TypeSchema): Keyed[] {
  return (Array.isArray(list) ? list : []).flatMap((item: unknown) => {
    try {
      return [{ element: itemElement(schema, item), item }];
    } catch (error) {
      if (!(error instanceof ItemError)) throw error;
      return [];
    }
  });
}
