import { isSameMember } from "./json.ts";

/** Reports whether a value is an object, but neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reports whether two JSON values are equal, ignoring the order of members. Integers are compared exactly if their exact values are known.
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSameMember(a, i, b, i, jsonEqual(item, b[i])));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameMember(a, key, b, key, jsonEqual(a[key], b[key])))
  );
}

/**
 * Returns an object's own member with the given name, or `undefined`. Use this for names that come from other programs,
 * because `object[name]` would also find inherited members such as `constructor`, `toString` and `__proto__`.
 */
export function ownMember<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Sets an object's own member, whatever its name. Use this for names that come from other programs, because assigning
 * to `__proto__` would replace the prototype.
 */
export function setOwnMember<T>(object: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
