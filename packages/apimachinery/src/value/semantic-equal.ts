import { isSameMember } from "./exact-integers.ts";
import { isRecord } from "./json-value.ts";
import { ownMember } from "./own-member.ts";
import { Quantity } from "./quantity.ts";

/**
 * Members that hold maps in every API object. An empty map says what an absent one says; of other empty objects that cannot be
 * said: `emptyDir: {}` asks for a volume, and `labelSelector: {}` selects everything.
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
  // Structs that the server fills in, always there in Go.
  "loadBalancer",
  "metadata",
  "resources",
  "status",
]);

/** Members that hold maps of quantities. */
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

/** Members of maps of quantities: `cpu`, `requests.cpu`, `hugepages-2Mi`, `example.com/gpu`. */
const resourceName =
  /^(?:cpu|memory|pods|storage|ephemeral-storage|hugepages-.+|.+\/.+|(?:requests|limits|count)[./].+)$/;

/** Members that hold one quantity. */
const quantities = new Set(["averageValue", "divisor", "sizeLimit"]);

/** Members whose values are texts of people's own: what looks like a quantity is none. */
const texts = new Set(["annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "stringData"]);

/**
 * Whether two API objects, or parts of them, say the same. The order of members does not matter, and neither does
 *
 * - whether a member is absent, `undefined` or `null`, or an empty list;
 * - whether a map that every object may have (`labels`, `annotations`, `data`, `limits` ...) is absent or empty. Any other `{}`
 *   counts, for `emptyDir: {}` means something that its absence does not;
 * - how a quantity is written, in the places where objects have quantities: `cpu: 1000m` under `limits` is `cpu: 1`.
 *
 * @see apimachinery api/equality Semantic.DeepEqual, which knows from Go's types what is known here from names
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return equal(a, b, {});
}

/** Where a value is: the member that it is of, and the member that this is in. */
interface Place {
  readonly name?: string;
  readonly within?: string | undefined;
  /** In a schema everything means itself: `default: {}`, a property that is called `labels`. */
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

/** An object whose members are all absent is as good as empty. */
const hasNothing = (value: Record<string, unknown>, name: string): boolean =>
  Object.entries(value).every(([member, item]) => isNothing(item, { name: member, within: name }));

function isQuantityPlace({ name = "", within = "", isSchema = false }: Place): boolean {
  if (isSchema || texts.has(within)) return false;
  return quantities.has(name) || (quantityMaps.has(within) && resourceName.test(name));
}

const equalQuantities = (a: unknown, b: unknown): boolean =>
  isQuantity(a) && isQuantity(b) && Quantity.parse(a).compare(Quantity.parse(b)) === 0;

/** As people write them; what is longer or has a wilder exponent is compared as text. */
const usual = /^[+-]?[0-9.]{1,30}(?:[a-zA-Z]{0,2}|[eE][+-]?[0-9]{1,2})$/;

const isQuantity = (value: unknown): value is string | number =>
  (typeof value === "string" || typeof value === "number") && usual.test(String(value)) && Quantity.isValid(value);
