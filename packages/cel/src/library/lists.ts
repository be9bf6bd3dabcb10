import { spend } from "../text/cost-meter.ts";
import { asDuration, asInt, asList } from "../values/arguments.ts";
import { CelList } from "../values/collections.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { formatType, isSameType } from "../values/type.ts";
import { CelDuration, CelError, CelUint, type CelValue, equal, isError, typeOf } from "../values/value.ts";
import { duration, int, uint } from "./arithmetic.ts";
import { compare } from "./comparison.ts";

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

function isSorted(list: CelList): CelValue {
  for (let i = 1; i < list.length; i++) {
    const order = compare(list.at(i - 1), list.at(i));
    if (typeof order === "object") return order;
    if (order === 1) return false;
  }
  return true;
}

function extreme(list: CelList, name: "min" | "max"): CelValue {
  let best: CelValue | undefined;
  for (const item of list) {
    if (best === undefined) {
      best = item;
      continue;
    }
    const order = compare(best, item);
    if (typeof order === "object") return order;
    if (order === (name === "min" ? 1 : -1)) best = item;
  }
  return best ?? new CelError(`${name} called on empty list`);
}

const adders: Readonly<Record<string, { zero: CelValue; add: (a: CelValue, b: CelValue) => CelValue }>> = {
  int: { zero: 0n, add: (a, b) => int(asInt(a) + asInt(b)) },
  uint: { zero: new CelUint(0n), add: (a, b) => uint(unsigned(a) + unsigned(b)) },
  double: { zero: 0, add: (a, b) => Number(a) + Number(b) },
  duration: { zero: new CelDuration(0n), add: (a, b) => duration(asDuration(a) + asDuration(b)) },
};

const unsigned = (value: CelValue): bigint => (value instanceof CelUint ? value.value : 0n);

function sum(list: CelList, type: string): CelValue {
  const adder = adders[type];
  if (!adder) return 0n;
  let total = adder.zero;
  spend(list.length);
  for (const item of list) {
    if (!isSameType(typeOf(item), typeOf(adder.zero))) return new CelError("no such overload");
    total = adder.add(total, item);
    if (isError(total)) return total;
  }
  return total;
}

function indexOf(list: CelList, value: CelValue, fromEnd: boolean): CelValue {
  for (let i = 0; i < list.length; i++) {
    const at = fromEnd ? list.length - 1 - i : i;
    if (equal(list.at(at), value) === true) return BigInt(at);
  }
  return -1n;
}

/** List functions that Kubernetes adds to CEL. @see apiserver pkg/cel/library/lists.go */
export const lists: readonly FunctionDeclaration[] = [
  ...comparable.flatMap((type) => [
    member("isSorted", `list_${type}_is_sorted_bool`, `list(${type}) -> bool`, (list) => isSorted(asList(list))),
    member("max", `list_${type}_max_${type}`, `list(${type}) -> ${type}`, (list) => extreme(asList(list), "max")),
    member("min", `list_${type}_min_${type}`, `list(${type}) -> ${type}`, (list) => extreme(asList(list), "min")),
  ]),
  ...Object.keys(adders).map((type) =>
    member("sum", `list_${type}_sum_${type}`, `list(${type}) -> ${type}`, (list) => sum(asList(list), type)),
  ),
  member("indexOf", "list_a_index_of_int", "list(A), A -> int", (list, value = null) =>
    indexOf(asList(list), value, false),
  ),
  member("lastIndexOf", "list_a_last_index_of_int", "list(A), A -> int", (list, value = null) =>
    indexOf(asList(list), value, true),
  ),
];

function slice(list: CelList, start: bigint, end: bigint): CelValue {
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return new CelError(`${call}, negative indexes not supported`);
  if (start > end) return new CelError(`${call}, start index must be less than or equal to end index`);
  if (list.length < end) return new CelError(`${call}, list is length ${list.length}`);
  const from = Number(start);
  return new CelList({ length: Number(end) - from, make: (i) => list.at(from + i) });
}

function flatten(list: CelList, depth: bigint, into: CelValue[] = []): CelValue[] {
  spend(list.length);
  for (const item of list)
    if (item instanceof CelList && depth > 0n) flatten(item, depth - 1n, into);
    else into.push(item);
  return into;
}

function flattened(list: CelList, depth: bigint): CelValue {
  return depth < 0n ? new CelError("level must be non-negative") : new CelList(flatten(list, depth));
}

function reversed(list: CelList): CelList {
  return new CelList({ length: list.length, make: (i) => list.at(list.length - 1 - i) });
}

function sortedBy(list: CelList, keys: CelList): CelValue {
  if (list.length !== keys.length)
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`,
    );
  if (list.length === 0) return list;
  spend(list.length);
  const type = typeOf(keys.at(0));
  for (const key of keys)
    if (!isSameType(typeOf(key), type)) return new CelError("list elements must have the same type");
  if (!comparable.includes(formatType(type))) return new CelError("list elements must be comparable");
  const order = [...list].map((_, i) => i);
  order.sort((a, b) => {
    const result = compare(keys.at(a), keys.at(b));
    return typeof result === "number" ? result : 0;
  });
  return new CelList(order.map((i) => list.at(i)));
}

function distinct(list: CelList): CelValue {
  const found: CelValue[] = [];
  spend(list.length);
  for (const item of list) if (!found.some((other) => equal(item, other) === true)) found.push(item);
  return new CelList(found);
}

const maxRange = 1_000_000n;

function range(count: bigint): CelValue {
  if (count > maxRange) return new CelError("operation cancelled: actual cost limit exceeded");
  return new CelList(Array.from({ length: Number(count < 0n ? 0n : count) }, (_, i) => BigInt(i)));
}

/** The functions in cel-go's list extension. @see cel-go ext/lists.go (version 3) */
export const listExtensions: readonly FunctionDeclaration[] = [
  member("slice", "list_slice", "list(T), int, int -> list(T)", (list, a, b) =>
    slice(asList(list), asInt(a), asInt(b)),
  ),
  member("flatten", "list_flatten", "list(list(T)) -> list(T)", (list) => flattened(asList(list), 1n)),
  member("flatten", "list_flatten_int", "list(dyn), int -> list(dyn)", (list, n) => flattened(asList(list), asInt(n))),
  ...comparable.flatMap((type) => [
    member("sort", `list_${type}_sort`, `list(${type}) -> list(${type})`, (list) =>
      sortedBy(asList(list), asList(list)),
    ),
    member(
      "@sortByAssociatedKeys",
      `list_${type}_sortByAssociatedKeys`,
      `list(T), list(${type}) -> list(T)`,
      (list, keys) => sortedBy(asList(list), asList(keys)),
    ),
  ]),
  global("lists.range", "lists_range", "int -> list(int)", (count) => range(asInt(count))),
  member("reverse", "list_reverse", "list(T) -> list(T)", (list) => reversed(asList(list))),
  member("distinct", "list_distinct", "list(T) -> list(T)", (list) => distinct(asList(list))),
];

function contains(list: CelList, part: CelList): boolean | CelError {
  for (const item of part) {
    spend(1);
    const found = list.has(item);
    if (found !== true) return found;
  }
  return true;
}

function isEquivalent(a: CelList, b: CelList): boolean | CelError {
  const forward = contains(a, b);
  return forward === true ? contains(b, a) : forward;
}

function intersects(a: CelList, b: CelList): boolean {
  for (const item of a) {
    spend(1);
    if (b.has(item) === true) return true;
  }
  return false;
}

/** Functions that treat lists as sets. @see cel-go ext/sets.go */
export const sets: readonly FunctionDeclaration[] = [
  global("sets.contains", "list_sets_contains_list", "list(T), list(T) -> bool", (a, b) =>
    contains(asList(a), asList(b)),
  ),
  global("sets.equivalent", "list_sets_equivalent_list", "list(T), list(T) -> bool", (a, b) =>
    isEquivalent(asList(a), asList(b)),
  ),
  global("sets.intersects", "list_sets_intersects_list", "list(T), list(T) -> bool", (a, b) =>
    intersects(asList(a), asList(b)),
  ),
];
