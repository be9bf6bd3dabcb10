/**
 * For programs, once their modules are loaded: from here on nothing can be added to what every object inherits, and `__proto__` is a name
 * like any other. So an assignment that somebody forgot to guard harms one object instead of the process.
 *
 * The prototype is sealed, not frozen: whoever inherits a member that cannot be written cannot have an own one by assignment, and
 * libraries do give their objects a `toString`. The way to it by name goes instead, as with Node's `--disable-proto=delete`.
 */
export function sealObjectPrototype(): void {
  Reflect.deleteProperty(Object.prototype, "__proto__");
  Object.seal(Object.prototype);
}
