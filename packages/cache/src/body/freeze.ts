import { readValuesOf } from "./deferred-body.ts";

/**
 * Freezes a value and everything in it, so that changing a shared object throws where it is done. Members that are not parsed yet
 * are frozen when they are.
 *
 * @throws {TypeError} for what can be changed although it is frozen, such as a `Map`
 */
export function deepFreeze<T>(value: T): T {
  // It does not call itself: an API server takes objects that are nested 10,000 deep.
  const left: unknown[] = [value];
  /** Frozen by somebody else: perhaps not in depth, perhaps in a circle. */
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

/** Members can be frozen, but not what objects of a built-in class hide. */
function refuseHidden(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return;
  const type = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (type !== "Object" && type !== "Array")
    throw new TypeError(
      `it has a ${type}, which stays changeable when it is frozen; use objects, arrays and plain values`,
    );
}
