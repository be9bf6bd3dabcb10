/**
 * A member that an object has itself. Where somebody else chose the name, `object[name]` also finds what every object inherits:
 * `constructor`, `toString`, `__proto__`.
 */
export function ownMember<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member of whatever name. An assignment to `__proto__` would replace the prototype; here it is a name like any other. */
export function setOwnMember<T>(object: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
