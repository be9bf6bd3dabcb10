import { isRecord, jsonEqual, stringifyJson } from "@kubewright/apimachinery";
import { idOf, isFree, type NormaliseOptions, type NormalObject, normalised, type WorldObject } from "./normalise.ts";

/** A difference between the actual and the expected world. */
export type Difference =
  | { readonly type: "missing" | "unexpected"; readonly object: string; readonly count: number }
  | {
      readonly type: "changed";
      readonly object: string;
      /** Path of the field, such as `spec.replicas`. */
      readonly path: string;
      /** Value in the world; undefined if the field is absent. */
      readonly actual: unknown;
      /** Expected value; undefined if the field should be absent. */
      readonly expected: unknown;
    };

/**
 * Compares two worlds after normalizing them. Objects with generated names are compared by content, because their names differ.
 *
 * @param actual the objects in the world, in any order
 * @param expected the objects that the world should contain
 */
export function differences(
  actual: readonly WorldObject[],
  expected: readonly WorldObject[],
  options: NormaliseOptions = {},
): Difference[] {
  const grouped = (objects: readonly WorldObject[]): Map<string, NormalObject[]> =>
    Map.groupBy(
      normalised(objects, options).filter(({ kind }) => !isFree(kind, options)),
      ({ id }) => id,
    );
  const [left, right] = [grouped(actual), grouped(expected)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .sort()
    .flatMap((id) => differencesOf(id, left.get(id) ?? [], right.get(id) ?? []));
}

function differencesOf(
  object: string,
  actual: readonly NormalObject[],
  expected: readonly NormalObject[],
): Difference[] {
  const surplus = actual.length - expected.length;
  if (surplus !== 0) return [{ type: surplus > 0 ? "unexpected" : "missing", object, count: Math.abs(surplus) }];
  const found: Difference[] = [];
  // Equal objects are paired first, so that one changed object does not make all others differ.
  const rest = expected.slice();
  const unpaired = actual.filter(({ value }) => {
    const at = rest.findIndex((other) => jsonEqual(other.value, value));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  for (const [i, { value }] of unpaired.entries()) compareFields(object, "", value, rest[i]?.value, found);
  return found;
}

function compareFields(object: string, path: string, actual: unknown, expected: unknown, found: Difference[]): void {
  if (jsonEqual(actual, expected)) return;
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (isRecord(actual) && isRecord(expected)) {
    for (const name of new Set([...Object.keys(actual), ...Object.keys(expected)]))
      compareFields(object, at(name), actual[name], expected[name], found);
  } else if (Array.isArray(actual) && Array.isArray(expected) && actual.length === expected.length) {
    for (const [i, item] of actual.entries()) compareFields(object, `${path}[${i}]`, item, expected[i], found);
  } else found.push({ type: "changed", object, path, actual, expected });
}

/** Maximum length of a value in {@link differenceText}. */
const maxValue = 120;

/** Describes a difference on one line. */
export function differenceText(difference: Difference): string {
  const { type, object } = difference;
  const several = type !== "changed" && difference.count > 1 ? ` (${difference.count} objects)` : "";
  switch (type) {
    case "missing":
      return `${object} does not exist, but should${several}`;
    case "unexpected":
      return `${object} exists, but should not${several}`;
    default:
      return `${object}: ${difference.path} is ${shown(difference.actual)}, but should be ${shown(difference.expected)}`;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return "absent";
  const text = stringifyJson(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

/**
 * Describes what remains after all user objects have been deleted, one object per line: objects that did not exist
 * before the users created any, and objects whose deletion is waiting for a finalizer.
 *
 * @param before the objects that existed before users created any
 */
export function leftovers(after: readonly WorldObject[], before: readonly WorldObject[]): string[] {
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  return after
    .filter(({ metadata }) => !known.has(metadata.uid))
    .map((object) => {
      const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
      if (deletionTimestamp !== undefined)
        return `${idOf(object)} is being deleted, but still has the finalizer ${finalizers.join(", ")}`;
      return `${idOf(object)} still exists${ownerReferences.length === 0 ? ", and has no owner reference" : ""}`;
    })
    .sort();
}

interface ManagedFields {
  readonly manager: string;
  readonly fieldsV1?: unknown;
}

/** Field managers of all other actors. */
const others: ReadonlySet<string> = new Set(["user", "neighbour", "kube-controller-manager"]);

/**
 * Compares two worlds like {@link differences}, but only in fields that the program set in at least one of them. Other
 * fields may differ legitimately: defaults set by the API server may depend on an object's earlier values, and
 * neighbours may add fields.
 */
export function ownDifferences(
  actual: readonly WorldObject[],
  expected: readonly WorldObject[],
  options: NormaliseOptions,
): Difference[] {
  const managed = Map.groupBy([...actual, ...expected], idOf);
  return differences(actual, expected, options)
    .flatMap(split)
    .filter(
      (each) => each.type !== "changed" || (managed.get(each.object) ?? []).some((object) => isOwn(object, each.path)),
    );
}

/** Splits the difference for a member that is missing in one world into differences for its fields. */
function split(difference: Difference): Difference[] {
  if (difference.type !== "changed") return [difference];
  const { path, actual, expected } = difference;
  const [some, isActual] = isRecord(actual) && expected === undefined ? [actual, true] : [expected, false];
  if (!isRecord(some) || (!isActual && actual !== undefined) || Object.keys(some).length === 0) return [difference];
  return Object.entries(some).flatMap(([name, value]) =>
    split({
      ...difference,
      path: `${path}.${name}`,
      actual: isActual ? value : undefined,
      expected: isActual ? undefined : value,
    }),
  );
}

/** Reports whether the program set a field, according to the object's managed fields. */
function isOwn({ metadata }: WorldObject, path: string): boolean {
  const names = path
    .replaceAll(/\[(\d+)\]/g, "[.$1")
    .split(/\.|(?=\[)/)
    .filter((name) => name !== "[");
  const managers: unknown = metadata.managedFields;
  if (!Array.isArray(managers)) return true;
  return (managers as readonly ManagedFields[]).some(
    ({ manager, fieldsV1 }) => !others.has(manager) && contains(fieldsV1, names),
  );
}

function contains(fields: unknown, [name, ...rest]: readonly string[]): boolean {
  if (!isRecord(fields)) return false;
  if (name === undefined) return true;
  const below = Object.entries(fields).filter(([key]) => key !== ".");
  if (below.length === 0) return true; // set as a whole
  const items = below.filter(([key]) => /^[kvi]:/.test(key));
  if (/^\d+$/.test(name) && items.length > 0) return items.some(([, item]) => contains(item, rest));
  // A name that contains dots, such as that of a label, was split.
  return below.some(([key, inner]) => {
    const full = [name, ...rest].join(".");
    if (key === `f:${full}`) return true;
    return (
      key.startsWith("f:") &&
      `${full}.`.startsWith(`${key.slice(2)}.`) &&
      contains(inner, full.slice(key.length - 1).split("."))
    );
  });
}
