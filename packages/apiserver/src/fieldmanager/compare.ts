import { isRecord, jsonEqual, ownMember } from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import { atomOf, ItemError, itemElement, itemSchema, memberOf } from "./atom.ts";
import { type FieldPath, FieldSet } from "./field-set.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** The differences between two objects. Each field is in at most one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two values of the same type field by field, taking the type's topology into account.
 *
 * @see structured-merge-diff typed Compare
 */
export function compareValues(before: unknown, after: unknown, schema: TypeSchema): Comparison {
  const comparison: Comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(before, after, schema, [], comparison);
  return comparison;
}

/** Returns a comparison without the fields at the given paths and below them. */
export function excludeFields(comparison: Comparison, excluded: FieldSet): Comparison {
  return {
    added: comparison.added.recursiveDifference(excluded),
    modified: comparison.modified.recursiveDifference(excluded),
    removed: comparison.removed.recursiveDifference(excluded),
  };
}

function compareAt(before: unknown, after: unknown, schema: TypeSchema, path: FieldPath, result: Comparison): void {
  const [left, right] = [atomOf(schema, before), atomOf(schema, after)];
  const atom = isAbsent(after) ? left : right;
  const changesShape = !isAbsent(before) && !isAbsent(after) && left.type !== right.type;
  if (changesShape) {
    removeBelow(before, schema, path, result);
    result.modified.insert(path);
    return;
  }
  if (atom.type === "scalar" || atom.atomic || (isEmpty(before) && isEmpty(after))) {
    leaf(before, after, path, result);
    return;
  }
  if (atom.type === "map") compareMembers(before, after, atom.schema, path, result);
  else compareItems(before, after, atom.schema, path, result);
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isEmpty = (value: unknown): boolean =>
  isAbsent(value) || (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0);

function leaf(before: unknown, after: unknown, path: FieldPath, result: Comparison): void {
  if (before === undefined) {
    if (after !== undefined) result.added.insert(path);
  } else if (after === undefined) result.removed.insert(path);
  else if (!jsonEqual(before, after)) result.modified.insert(path);
}

function removeBelow(before: unknown, schema: TypeSchema, path: FieldPath, result: Comparison): void {
  const old: Comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt(before, undefined, schema, path, old);
  for (const gone of old.removed.paths()) if (gone.length > path.length) result.removed.insert(gone);
}

/** Reports whether two values are known to be equal, in which case the fields below them need not be compared. */
const isSame = (before: unknown, after: unknown): boolean => before !== undefined && jsonEqual(before, after);

function compareMembers(
  before: unknown,
  after: unknown,
  schema: TypeSchema,
  path: FieldPath,
  result: Comparison,
): void {
  const [left, right] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [old, now] = [ownMember(left, name), ownMember(right, name)];
    if (!isSame(old, now)) compareAt(old, now, memberOf(schema, name), [...path, fieldElement(name)], result);
  }
}

function compareItems(before: unknown, after: unknown, schema: TypeSchema, path: FieldPath, result: Comparison): void {
  const [left, right] = [indexItems(before, schema), indexItems(after, schema)];
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const [olds, news] = [left.get(element) ?? [], right.get(element) ?? []];
    if (olds.length === 1 && news.length === 1 && isSame(olds[0], news[0])) continue;
    const at = [...path, element];
    const items = itemSchema(schema);
    if (olds.length <= 1 && news.length <= 1) compareAt(olds[0], news[0], items, at, result);
    else if (olds.length > 1 && news.length > 1) {
      if (!jsonEqual(olds, news)) result.modified.insert(at);
    } else if (olds.length > 1) {
      if (news.length > 0) compareAt(undefined, news[0], items, at, result);
      result.removed.insert(at);
    } else {
      if (olds.length > 0) compareAt(olds[0], undefined, items, at, result);
      result.added.insert(at);
    }
  }
}

/**
 * Indexes the items of a list by path element. If an element occurs more than once, it maps to several items. Items that cannot be
 * identified are skipped.
 */
function indexItems(list: unknown, schema: TypeSchema): Map<PathElement, unknown[]> {
  const index = new Map<PathElement, unknown[]>();
  for (const item of Array.isArray(list) ? list : []) {
    try {
      const element = itemElement(schema, item);
      const same = index.get(element);
      if (same) same.push(item);
      else index.set(element, [item]);
    } catch (error) {
      if (!(error instanceof ItemError)) throw error;
    }
  }
  return index;
}
