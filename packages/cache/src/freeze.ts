/**
 * Freezes a value and everything in it, so that whoever changes what is shared learns of it where it happens.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Whether shared objects are frozen unless somebody says otherwise: everywhere but in production. */
export const freezesByDefault = (): boolean => process.env.NODE_ENV !== "production";
