import { readValuesOf } from "@kubewright/lazy-json";

/**
 * Freezes a value recursively, so that any attempt to modify a shared object throws. Members that have not been parsed
 * yet are frozen once they are parsed.
 *
 * @throws {TypeError} if the value contains an object that can be modified despite being frozen, such as a `Map`
 */
export function deepFreeze<T>(value: T): T {
  // Not recursive, because an API server accepts objects that are nested 10,000 levels deep.
  const left: unknown[] = [value];
  /** Objects that were frozen before this call. They may have unfrozen members and may contain cycles. */
  let seen: Set<object> | undefined;
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Object.isFrozen(next)) {
      if (seen?.has(next)) continue;
      seen ??= new Set();
      seen.add(next);
    }
    refuseHidden(next);
    for (const part of readValuesOf(next)) if (typeof part === "object" && part !== null) left.push(part);
    Object.freeze(next);
  }
  return value;
}

/** Throws if the value belongs to a built-in class such as `Map`, because freezing does not protect its internal state. */
function refuseHidden(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return;
  const type = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (type !== "Object" && type !== "Array")
    throw new TypeError(
      `cannot freeze the object: it contains a ${type}, which remains modifiable; use only plain objects, arrays and primitive values`,
    );
}
