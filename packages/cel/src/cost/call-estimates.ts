import type { Expression } from "../syntax/ast.ts";
import { type CelType, isSameType, paramsOf } from "../values/type.ts";
import { type Estimate, estimate, maxEstimate } from "./estimates.ts";

const stringFactor = 0.1;
const regexFactor = 0.25;

/** A part of an expression, with the size of its value, if known. */
export interface SizedNode {
  readonly expression: Expression;
  readonly type: CelType;
  readonly path: readonly string[];
  readonly size: Estimate | undefined;
}

export interface CallContext {
  readonly name: string;
  readonly target: SizedNode | undefined;
  readonly args: readonly SizedNode[];
  readonly costs: readonly Estimate[];
  readonly sizeAt: (path: readonly string[]) => Estimate | undefined;
}

/** Estimated cost of a call (including its arguments), and the estimated size of its result. */
interface CallEstimate {
  readonly cost: Estimate;
  readonly size?: Estimate | undefined;
}

/** An estimate for a call without the cost of its arguments; `undefined` if the function has no specific estimate. */
type Own = CallEstimate | undefined;

export function callEstimate(context: CallContext, overload: string): CallEstimate {
  const { costs } = context;
  const own =
    extensionEstimate(context, overload) ??
    kubernetesEstimate(context, overload) ??
    standardEstimate(context, overload);
  if (overload === "logical_and" || overload === "logical_or") {
    const [left = estimate.zero, right = estimate.zero] = costs;
    return { cost: { min: left.min, max: estimate.add(left, right).max } };
  }
  if (overload === "conditional") {
    const [test = estimate.zero, yes = estimate.zero, no = estimate.zero] = costs;
    return { cost: estimate.add(test, estimate.union(yes, no)), size: own?.size };
  }
  return { cost: estimate.add(own?.cost ?? estimate.of(1), ...costs), size: own?.size };
}

const known = (node: SizedNode | undefined): Estimate => node?.size ?? estimate.unknown;

const traversed = (node: SizedNode | undefined, times = 1): Estimate =>
  estimate.scale(known(node), times * stringFactor);

function matching(text: SizedNode | undefined, pattern: SizedNode | undefined): Estimate {
  const textCost = estimate.scale(estimate.add(known(text), estimate.of(1)), stringFactor);
  return estimate.multiply(textCost, estimate.scale(known(pattern), regexFactor));
}

function allocating(size: Estimate, factor: number): Own {
  return { cost: estimate.add(estimate.scale(size, factor), estimate.of(11)), size };
}

const intLiteral = (node: SizedNode | undefined, otherwise: number): number => {
  const { expression } = node ?? {};
  if (expression?.kind !== "literal" || typeof expression.value !== "bigint") return otherwise;
  return Math.max(0, Number(expression.value));
};

/** @see cel-go ext/lists.go, ext/sets.go */
function extensionEstimate({ target, args }: CallContext, overload: string): Own {
  const [first, second] = args;
  const squared = (node: SizedNode | undefined): Estimate => estimate.multiply(known(node), known(node));
  switch (overload) {
    case "list_slice":
      return allocating(estimate.of(Math.abs(intLiteral(second, known(target).max) - intLiteral(first, 0))), 1);
    case "lists_range":
      return allocating(estimate.of(intLiteral(first, maxEstimate)), 1);
    case "list_reverse":
      return allocating(known(target), 1);
    case "list_flatten":
      return allocating(known(target), 1);
    case "list_flatten_int":
      return allocating(known(target), intLiteral(first, maxEstimate));
    case "list_distinct":
      return allocating(squared(target), 2);
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return { cost: estimate.add(estimate.multiply(known(first), known(second)), estimate.of(1)) };
    case "list_sets_equivalent_list":
      return {
        cost: estimate.add(estimate.scale(estimate.multiply(known(first), known(second)), 2), estimate.of(1)),
      };
  }
  const sorted = /^list_(\w+)_sort(ByAssociatedKeys)?$/.exec(overload);
  if (!sorted) return undefined;
  const isText = sorted[1] === "string" || sorted[1] === "bytes";
  return allocating(squared(sorted[2] ? first : target), isText ? 2 + stringFactor : 2);
}

const nominal = new Set([
  ...["serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error"],
  ...["errored", "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast"],
  ...["isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat"],
  ...["isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch", "getScheme", "getHostname"],
  ...["getHost", "getPort", "getEscapedPath", "getQuery"],
]);
const parsing = new Set(["cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"]);
const one: CallEstimate = { cost: estimate.of(1) };

/** @see apiserver pkg/cel/library/cost.go */
function kubernetesEstimate(context: CallContext, overload: string): Own {
  const { name, target, args, sizeAt } = context;
  const [first, second] = args;
  if (nominal.has(name)) return one;
  if (parsing.has(name)) return { cost: traversed(first) };
  switch (name) {
    case "check":
      return { cost: estimate.of(350_000) };
    case "fieldSelector":
    case "labelSelector":
      return { cost: selectorEstimate(known(first)) };
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return target ? { cost: searchEstimate(target, sizeAt) } : undefined;
    case "url":
    case "jsonpatch.escapeKey":
      return { cost: traversed(first), size: known(first) };
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return { cost: traversed(target), size: known(target) };
    case "replace":
      return { cost: traversed(target, 2), size: replacedSize(known(target), known(first), known(second)) };
    case "split":
      return { cost: traversed(target, 2), size: { min: 0, max: intLiteral(second, known(target).max) } };
    case "join":
      return target ? joinEstimate(target, first, sizeAt) : undefined;
    case "find":
    case "findAll":
      return { cost: matching(target, first), size: { min: 0, max: known(target).max } };
    case "ip":
      return overload === "cidr_ip" ? one : { cost: traversed(first) };
    case "ip.isCanonical":
      return { cost: traversed(first, 2) };
    case "containsIP":
    case "containsCIDR":
      return { cost: containsEstimate(name, overload, known(first)) };
    case "validate":
      return { cost: estimate.scale(traversed(first), 128 * regexFactor) };
    case "_==_":
      return first && second ? equalityEstimate(first, second) : undefined;
    default:
      return undefined;
  }
}

function selectorEstimate(length: Estimate): Estimate {
  const requirements = estimate.scale(estimate.scale(length, 0.5), 50);
  return estimate.add(estimate.of(10), estimate.scale(length, stringFactor), requirements);
}

/** Returns the size of a list's items if it is known. */
const itemSize = (list: SizedNode, sizeAt: CallContext["sizeAt"]): Estimate =>
  (list.path.length > 0 ? sizeAt([...list.path, "@items"]) : undefined) ?? estimate.unknown;

function searchEstimate(target: SizedNode, sizeAt: CallContext["sizeAt"]): Estimate {
  const [item] = paramsOf(target.type);
  if (!item) return traversed(target);
  const isText = item.kind === "string" || item.kind === "bytes";
  const each = isText
    ? estimate.add(estimate.of(1), estimate.scale(itemSize(target, sizeAt), stringFactor))
    : estimate.of(1);
  return estimate.multiply(known(target), each);
}

function joinEstimate(target: SizedNode, separator: SizedNode | undefined, sizeAt: CallContext["sizeAt"]): Own {
  const list = known(target);
  const items = paramsOf(target.type).length > 0 ? estimate.multiply(list, itemSize(target, sizeAt)) : estimate.zero;
  const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = separator ? estimate.add(items, estimate.multiply(known(separator), gaps)) : items;
  return { cost: estimate.scale(size, stringFactor), size };
}

/**
 * Returns the size of a string after a replacement. The string grows most if the shortest substring is replaced by the longest string, and least
 * in the opposite case.
 */
function replacedSize(text: Estimate, old: Estimate, by: Estimate): Estimate {
  const most =
    old.min === 0
      ? { count: Math.min(text.max + 1, maxEstimate), kept: text.max }
      : by.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const least =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= by.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  const count = { min: least.count, max: most.count };
  return estimate.add(estimate.multiply(count, by), { min: least.kept, max: most.kept });
}

function containsEstimate(name: string, overload: string, other: Estimate): Estimate {
  const bytes = { min: 4, max: 16 };
  const parts = [estimate.scale(estimate.add(bytes, bytes), stringFactor)];
  if (name === "containsCIDR") parts.push(estimate.scale(bytes, stringFactor), estimate.of(1));
  if (overload.endsWith("_string")) parts.push(estimate.scale(other, stringFactor));
  return estimate.add(...parts);
}

function equalityEstimate(left: SizedNode, right: SizedNode): Own {
  const { type } = left;
  if (!isSameType(type, right.type) || !("name" in type)) return undefined;
  if (type.name === "net.IP" || type.name === "net.CIDR") return one;
  if (!type.name.startsWith("kubernetes.")) return undefined;
  if (type.name === "kubernetes.NamedFormat") return { cost: estimate.scale({ min: 1, max: 64 }, stringFactor) };
  if (type.name === "kubernetes.URL")
    return { cost: estimate.scale({ min: 1, max: right.size?.max ?? 1 }, stringFactor) };
  return /^kubernetes\.(?:Quantity|Semver|authorization\.\w+)$/.test(type.name) ? one : undefined;
}

/** @see cel-go checker/cost.go */
function standardEstimate({ target, args }: CallContext, overload: string): Own {
  const [first, second, third] = args;
  switch (overload) {
    case "string_format":
      return target ? { cost: traversed(target) } : undefined;
    case "string_to_bytes":
      return {
        cost: traversed(first),
        size: { min: known(first).min, max: Math.min(known(first).max * 4, maxEstimate) },
      };
    case "bytes_to_string":
      return { cost: traversed(first), size: { min: Math.floor(known(first).min / 4), max: known(first).max } };
    case "strings_quote":
      return {
        cost: traversed(first),
        size: { min: known(first).min + 2, max: Math.min(known(first).max * 2 + 2, maxEstimate) },
      };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: traversed(first) };
    case "in_list":
      return { cost: known(second) };
    case "matches_string":
      return { cost: matching(target, first) };
    case "contains_string":
      return { cost: estimate.multiply(traversed(target), traversed(first)) };
    case "conditional":
      return { cost: estimate.zero, size: estimate.union(known(second), known(third)) };
    case "add_string":
    case "add_bytes":
    case "add_list": {
      const size = estimate.add(known(first), known(second));
      return { cost: overload === "add_list" ? estimate.of(1) : estimate.scale(size, stringFactor), size };
    }
  }
  if (!/^(?:equals|not_equals|(?:less|greater)(?:_equals)?_(?:string|bytes))$/.test(overload)) return undefined;
  const max = Math.min(known(first).max, known(second).max);
  return { cost: estimate.scale({ min: max > 0 ? 1 : 0, max }, stringFactor) };
}
