import { isSameMember } from "./exact-integers.ts";

/** What JSON can say. */
export type JsonValue = null | boolean | number | string | bigint | JsonValue[] | { [key: string]: JsonValue };

/** Whether it is an object that is neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same; the order of keys does not matter, and the digits of integers do as far as they are known. */
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
