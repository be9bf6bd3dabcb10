import { isRecord, parseJson, quote, stringifyJson } from "@kubewright/apimachinery";

/**
 * An element of a field's path, as in FieldsV1. `f:name` is a member, `k:{"name":"a"}` is an item with these keys,
 * `v:"x"` is an item in a set, and `i:0` is a position. The text is canonical, so that equal elements are equal
 * strings.
 *
 * @see structured-merge-diff fieldpath PathElement
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  let element = elements.get(name);
  if (element === undefined) {
    if (name.length > longestName) return `f:${name}`;
    element = `f:${name}`;
    if (elements.size >= maxElements) elements.clear();
    elements.set(name, element);
  }
  return element;
}

/** Path elements of field names. The same few names occur in every object, and a shared string is hashed only once. */
const elements = new Map<string, PathElement>();
const maxElements = 5_000;
/** Maximum length of names whose elements are shared. A longer name is not a field of a type, but a key that a user chose. */
const longestName = 100;

/** Returns the path element of the item with the given key fields. Sorts the fields by name. */
export const keyElement = (keys: Readonly<Record<string, unknown>>): PathElement =>
  `k:${stringifyJson(Object.fromEntries(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1))))}`;

export const valueElement = (value: unknown): PathElement => `v:${stringifyJson(value)}`;

/** Returns a path element from FieldsV1 in canonical form, or `undefined` if the text is not valid. */
export function parseElement(text: string): PathElement | undefined {
  const body = text.slice(2);
  try {
    switch (text.slice(0, 2)) {
      case "f:":
        return text;
      case "i:":
        return /^\d+$/.test(body) ? text : undefined;
      case "v:":
        return valueElement(parseJson(body));
      case "k:": {
        const keys = parseJson(body);
        return isRecord(keys) ? keyElement(keys) : undefined;
      }
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/** Returns the name of the member to which a path element refers, or `undefined` if it does not refer to a member. */
export const fieldNameOf = (element: PathElement): string | undefined =>
  element.startsWith("f:") ? element.slice(2) : undefined;

const kinds = "fkvi";

/** Compares two path elements, for sorting: members first, then keyed items, set items and positions. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.startsWith("f:") && b.startsWith("f:")) return compareText(a, b);
  const kind = kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  const [left, right] = [a.slice(2), b.slice(2)];
  return compareValues(parseJson(left), parseJson(right));
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Compares two scalars or two lists of keys, for sorting: numbers come first, followed by strings and booleans. Lists are compared key by
 * key.
 */
function compareValues(a: unknown, b: unknown): number {
  if (isRecord(a) && isRecord(b)) {
    const [left, right] = [Object.entries(a), Object.entries(b)];
    for (const [i, [name, value]] of left.entries()) {
      const other = right[i];
      if (!other) return 1;
      const order = compareText(name, other[0]) || compareValues(value, other[1]);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }
  const rank = (value: unknown): number => ["number", "bigint", "string", "boolean"].indexOf(typeof value) || 0;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if ((typeof a === "number" || typeof a === "bigint") && (typeof b === "number" || typeof b === "bigint"))
    return a < b ? -1 : a > b ? 1 : 0;
  return rank(a) - rank(b) || Number(a) - Number(b);
}

/** Formats a path element for messages, as in `.spec`, `[name="c"]`, `[="x"]` or `[0]`. */
export function printElement(element: PathElement): string {
  const body = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${body}`;
    case "k": {
      const keys = parseJson(body);
      const parts = isRecord(keys) ? Object.entries(keys).map(([name, value]) => `${name}=${printScalar(value)}`) : [];
      return `[${parts.join(",")}]`;
    }
    case "v":
      return `[=${printScalar(parseJson(body))}]`;
    default:
      return `[${body}]`;
  }
}

export const printPath = (path: readonly PathElement[]): string => path.map(printElement).join("");

const printScalar = (value: unknown): string => (typeof value === "string" ? quote(value) : stringifyJson(value));
