import { lengthOf } from "../text/code-points.ts";
import { spend } from "../text/cost-meter.ts";
import { CelList, CelMap, CelStruct } from "./collections.ts";
import { CelBytes, CelNode, CelOptional, type CelValue } from "./value.ts";

const stringFactor = 0.1;
const regexFactor = 0.25;

/** Returns a value's number of elements or code points, or 1 for other values. */
function sizeOf(value: CelValue | undefined): number {
  if (typeof value === "string") return lengthOf(value);
  if (value instanceof CelBytes) return value.value.length;
  if (value instanceof CelList) return value.length;
  if (value instanceof CelMap) return value.size;
  if (value instanceof CelStruct) return [...value.fields()].length;
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value);
  // the size of an address is its number of bytes
  if (value instanceof CelNode && value.type.kind === "opaque" && "name" in value.type)
    return value.type.name === "net.IP" || value.type.name === "net.CIDR" ? addressSize(value) : 1;
  return 1;
}

const addressSize = (value: CelNode): number => ("byteLength" in value ? Number(value.byteLength) : 1);

const traversed = (value: CelValue | undefined, times = 1): number => Math.ceil(sizeOf(value) * times * stringFactor);

/** Returns the cost of traversing a value. */
function traversal(value: CelValue | undefined): number {
  spend(1);
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * stringFactor);
  if (value instanceof CelBytes) return Math.floor(value.value.length * stringFactor);
  let cost = 0;
  if (value instanceof CelList) for (const item of value) cost += traversal(item);
  else if (value instanceof CelMap)
    for (const key of value.keys()) cost += traversal(key) + traversal(value.find(key) ?? null);
  else return 1;
  return cost;
}

const matching = (text: CelValue | undefined, pattern: CelValue | undefined): number =>
  Math.ceil((1 + sizeOf(text)) * stringFactor) * Math.ceil(sizeOf(pattern) * regexFactor);

const allocating = (size: number, factor: number): number => Math.floor(size * factor) + 1 + 10;

function selfCompare(value: CelValue | undefined): number {
  if (!(value instanceof CelList) || value.length === 0) return allocating(0, 2);
  const first = value.at(0);
  const isText = typeof first === "string" || first instanceof CelBytes;
  return allocating(value.length ** 2, isText ? 2 + stringFactor : 2);
}

function selectorCost(text: CelValue | undefined): number {
  const size = sizeOf(text);
  return 10 + Math.ceil(size * stringFactor) + Math.ceil(Math.ceil(size * 0.5) * 50);
}

type CallCost = (args: readonly CelValue[], result: CelValue, overload: string) => number;

const one: CallCost = () => 1;
const overFirst: CallCost = ([first]) => traversed(first);
const compared: CallCost = ([a, b]) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * stringFactor);
const joined: CallCost = ([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * stringFactor);
const wholeFirst: CallCost = ([first]) => traversal(first);
const onSets =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.floor(sizeOf(a) * sizeOf(b) * factor);

/** Costs by overload. They take precedence over costs by function name. */
const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: (_args, result) => allocating(sizeOf(result), 1),
  lists_range: (_args, result) => allocating(sizeOf(result), 1),
  list_reverse: (_args, result) => allocating(sizeOf(result), 1),
  list_flatten: ([list]) => allocating(sizeOf(list), 1),
  list_flatten_int: ([list, depth]) => allocating(sizeOf(list), Number(depth)),
  list_distinct: ([list]) => selfCompare(list),
  list_sets_contains_list: onSets(1),
  list_sets_intersects_list: onSets(1),
  list_sets_equivalent_list: onSets(2),
};

/** Costs of Kubernetes' own functions, keyed by name. @see apiserver pkg/cel/library/cost.go */
const byFunction: Readonly<Record<string, CallCost>> = {
  check: () => 350_000,
  ...Object.fromEntries(
    ["serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason"].map(
      (name) => [name, one],
    ),
  ),
  error: one,
  errored: one,
  fieldSelector: ([, text]) => selectorCost(text),
  labelSelector: ([, text]) => selectorCost(text),
  ...Object.fromEntries(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"].map((name) => [name, wholeFirst])),
  ...Object.fromEntries(
    [
      ...["url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey", "cidr", "isIP", "isCIDR"],
      ...["quantity", "isQuantity", "semver", "isSemver"],
    ].map((name) => [name, overFirst]),
  ),
  ip: ([first], _result, overload) => (overload === "cidr_ip" ? 1 : traversed(first)),
  replace: ([first]) => traversed(first, 2),
  split: ([first]) => traversed(first, 2),
  "ip.isCanonical": ([first]) => traversed(first, 2),
  join: (_args, result) => traversed(result, 2),
  find: ([text, pattern]) => matching(text, pattern),
  findAll: ([text, pattern]) => matching(text, pattern),
  containsIP: ([network, other], _result, overload) =>
    traversed(network, 2) + (overload === "cidr_contains_ip_string" ? traversed(other) : 0),
  containsCIDR: ([network, other], _result, overload) =>
    traversed(network, 2) + traversed(network) + 1 + (overload === "cidr_contains_cidr_string" ? traversed(other) : 0),
  validate: ([format, text]) =>
    Math.ceil((1 + sizeOf(text)) * stringFactor) *
    Math.ceil((format instanceof CelNode && "maxRegexSize" in format ? Number(format.maxRegexSize) : 1) * regexFactor),
};

/** Costs of the language's own functions, keyed by overload. @see cel-go interpreter/runtimecost.go */
const standardCosts: Readonly<Record<string, CallCost>> = {
  starts_with_string: overFirst,
  ends_with_string: overFirst,
  string_to_bytes: overFirst,
  bytes_to_string: overFirst,
  strings_quote: overFirst,
  string_format: overFirst,
  in_list: ([, list]) => sizeOf(list),
  ...Object.fromEntries(
    ["less", "greater", "less_equals", "greater_equals"].flatMap((name) => [
      [`${name}_string`, compared],
      [`${name}_bytes`, compared],
    ]),
  ),
  equals: ([a = null, b = null]) => (a instanceof CelNode && isKubernetesType(a) ? 1 : compared([a, b], null, "")),
  not_equals: compared,
  add_string: joined,
  add_bytes: joined,
  matches_string: ([text, pattern]) => matching(text, pattern),
  contains_string: ([text, part]) => traversed(text) * traversed(part),
};

const isKubernetesType = ({ type }: CelNode): boolean =>
  "name" in type && (type.name.startsWith("kubernetes.") || type.name.startsWith("net."));

/** Returns the cost of a call. */
export function callCostOf(name: string, overload: string, args: readonly CelValue[], result: CelValue): number {
  const own = byOverload[overload] ?? (/_sort$/.test(overload) ? sortCost : undefined);
  if (own) return own(args, result, overload);
  if (/_sortByAssociatedKeys$/.test(overload)) return selfCompare(args[1]);
  const cost = (Object.hasOwn(byFunction, name) ? byFunction[name] : undefined) ?? standardCosts[overload];
  return cost ? cost(args, result, overload) : 1;
}

const sortCost: CallCost = ([list]) => selfCompare(list);
