import { setOwnMember } from "@kubewright/apimachinery";
/**
 * Reports whether two JSON values have the same shape: both have the same members, and where their values differ, both
 * values are set. A default that Go serializes for an unset field does not count as set. Hence, the creators of two new
 * objects with the same shape own the same fields.
 */
export function hasSameShape(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== typeof b) return false;
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null)
    return isSomething(a) && isSomething(b);
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b);
  let members = 0;
  for (const name in a) {
    if (!Object.hasOwn(b, name)) return false;
    if (!hasSameShape((a as Readonly<Record<string, unknown>>)[name], (b as Readonly<Record<string, unknown>>)[name]))
      return false;
    members++;
  }
  for (const _name in b) members--;
  return members === 0;
}

/** Reports whether a value is set: it is not the default of a scalar, which is empty, zero, false or the quantity `0`. */
const isSomething = (value: unknown): boolean =>
  (typeof value === "string" && value !== "" && value !== "0") ||
  (typeof value === "number" && value !== 0) ||
  value === true;

/**
 * Reports whether two different values are lists of the same shape. Only two empty lists are: items may be identified by their values,
 * so lists with items count as different.
 */
const isSameList = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === 0 && b.length === 0;

/**
 * Returns a representative that is the same for all values of the same shape. Returns `undefined` for a value with a
 * non-empty list, because it is unlikely that another value has the same shape.
 */
export function shapeOf(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) return value.length === 0 ? [] : undefined;
    const shape: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const inner = shapeOf(member);
      if (inner === undefined) return undefined;
      setOwnMember(shape, name, inner);
    }
    return shape;
  }
  if (!isSomething(value)) return value;
  return typeof value === "string" ? "x" : typeof value === "number" ? 1 : value;
}
