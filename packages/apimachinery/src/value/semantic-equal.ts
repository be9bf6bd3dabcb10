import { isSameMember } from "./json.ts";
import { isRecord, ownMember } from "./json-value.ts";
import { Quantity } from "./quantity.ts";

/**
 * Names of members that are maps in all API objects. For these members, an empty map is equivalent to an absent one. For others, it may not
 * be: `emptyDir: {}` requests a volume, and `labelSelector: {}` selects everything.
 */
const maps = new Set([
  "allocatable",
  "annotations",
  "binaryData",
  "capacity",
  "data",
  "hard",
  "labels",
  "limits",
  "matchLabels",
  "nodeSelector",
  "requests",
  "stringData",
  "used",
  // These are structs that the server sets. In Go, they are never absent.
  "loadBalancer",
  "metadata",
  "resources",
  "status",
]);

/** Names of members that are maps of quantities. */
const quantityMaps = new Set([
  "allocatable",
  "capacity",
  "default",
  "defaultRequest",
  "hard",
  "limits",
  "max",
  "maxLimitRequestRatio",
  "min",
  "podFixed",
  "requests",
  "used",
]);

/** Matches keys in maps of quantities, such as `cpu`, `requests.cpu`, `hugepages-2Mi` and `example.com/gpu`. */
const resourceName =
  /^(?:cpu|memory|pods|storage|ephemeral-storage|hugepages-.+|.[^/]*\/.+|(?:requests|limits|count)[./].+)$/;

/** Names of members that are quantities. */
const quantities = new Set(["averageValue", "divisor", "sizeLimit"]);

/** Names of members whose values are chosen by users. Texts in such members are never quantities. */
const texts = new Set(["annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "stringData"]);

/**
 * Reports whether two API objects, or parts of them, have the same meaning. It ignores the order of members and these differences:
 *
 * - A member is absent, `undefined`, `null` or an empty list.
 * - A map that many kinds have in common (`labels`, `annotations`, `data`, `limits`, …) is absent or empty. Other empty
 *   objects are not equal to absent ones, because `emptyDir: {}`, for example, has a meaning.
 * - The same quantity is written in different ways in a field for quantities: `cpu: 1000m` under `limits` equals `cpu:
 *   1`.
 *
 * @see apimachinery api/equality Semantic.DeepEqual, which uses Go types where this function uses names
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return equal(a, b, {});
}

/** Position of a value: the name of its member and of the enclosing member. */
interface Place {
  readonly name?: string;
  readonly within?: string | undefined;
  /** True within a schema, where names have no special meaning, as in `default: {}` or a property named `labels`. */
  readonly isSchema?: boolean;
}

function equal(a: unknown, b: unknown, place: Place): boolean {
  if (Object.is(a, b)) return true;
  if (isNothing(a, place) || isNothing(b, place)) return isNothing(a, place) && isNothing(b, place);
  if (Array.isArray(a)) return Array.isArray(b) && equalItems(a, b, place);
  if (isRecord(a)) return isRecord(b) && equalMembers(a, b, place);
  return isQuantityPlace(place) && equalQuantities(a, b);
}

const equalItems = (a: readonly unknown[], b: readonly unknown[], { isSchema = false }: Place): boolean =>
  a.length === b.length &&
  a.every((item, index) => isSameMember(a, index, b, index, equal(item, b[index], { isSchema })));

function equalMembers(a: Record<string, unknown>, b: Record<string, unknown>, place: Place): boolean {
  for (const member of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const isSchema = place.isSchema || member === "openAPIV3Schema";
    const isEqual = equal(ownMember(a, member), ownMember(b, member), { name: member, within: place.name, isSchema });
    if (!isSameMember(a, member, b, member, isEqual)) return false;
  }
  return true;
}

function isNothing(value: unknown, { name = "", within = "", isSchema = false }: Place): boolean {
  if (value === undefined) return true;
  if (isSchema) return false;
  if (value === null) return true;
  if (texts.has(within)) return false;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && maps.has(name) && hasNothing(value, name);
}

/** Reports whether an object counts as empty because all of its members count as absent. */
const hasNothing = (value: Record<string, unknown>, name: string): boolean =>
  Object.entries(value).every(([member, item]) => isNothing(item, { name: member, within: name }));

function isQuantityPlace({ name = "", within = "", isSchema = false }: Place): boolean {
  if (isSchema || texts.has(within)) return false;
  return quantities.has(name) || (quantityMaps.has(within) && resourceName.test(name));
}

const equalQuantities = (a: unknown, b: unknown): boolean =>
  isQuantity(a) && isQuantity(b) && Quantity.parse(a).compare(Quantity.parse(b)) === 0;

/** Matches the common forms of quantities. Longer texts, and texts with larger exponents, are compared as text. */
const usual = /^[+-]?[0-9.]{1,30}(?:[a-zA-Z]{0,2}|[eE][+-]?[0-9]{1,2})$/;

const isQuantity = (value: unknown): value is string | number =>
  (typeof value === "string" || typeof value === "number") && usual.test(String(value)) && Quantity.isValid(value);
