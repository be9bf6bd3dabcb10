import { freezeDeferred, isDeferred } from "./deferred-body.ts";

/**
 * Freezes a value and everything in it, so that changing a shared object throws where it is done. Members that are not parsed yet
 * are frozen when they are.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (isDeferred(value)) return freezeDeferred(value, deepFreeze);
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Whether shared objects are frozen by default: unless `NODE_ENV` is `production`. */
export const freezesByDefault = (): boolean => process.env.NODE_ENV !== "production";
