/**
 * Returns an own member of an object, or `undefined`. For names from other programs: `object[name]` would also find inherited members such
 * as `constructor`, `toString` and `__proto__`.
 */
export function ownMember<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own member of any name. An assignment to `__proto__` would replace the prototype instead. */
export function setOwnMember<T>(object: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
