/**
 * Prevents additions to `Object.prototype` and makes `__proto__` an ordinary member name, so that an unchecked
 * assignment can affect only one object, not the whole process. Programs must call this function after loading their
 * modules.
 *
 * The prototype is sealed rather than frozen, because a read-only inherited member would also prevent assignments to own members with that
 * name, and libraries do assign `toString` to their objects. Like Node's `--disable-proto=delete`, the function deletes `__proto__`. In
 * Bun, it keeps `__proto__`, because Bun's own streams read it when they are created.
 */
export function sealObjectPrototype(): void {
  if (process.versions.bun === undefined) Reflect.deleteProperty(Object.prototype, "__proto__");
  Object.seal(Object.prototype);
}
