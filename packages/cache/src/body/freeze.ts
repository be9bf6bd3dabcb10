import { freezeDeferred, isDeferred } from "./deferred-body.ts";

/**
 * Freezes a value and everything in it, so that whoever changes what is shared learns of it where it happens.
 * What has not been parsed yet is frozen when it is.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (isDeferred(value)) return freezeDeferred(value, deepFreeze);
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Whether shared objects are frozen unless somebody says otherwise: everywhere but in production. */
export const freezesByDefault = (): boolean => process.env.NODE_ENV !== "production";
