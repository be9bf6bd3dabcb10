/**
 * Base of classes whose private fields are attached to an existing object: `new Derived(object)` returns `object` itself, with the fields
 * that `Derived` declares added to it.
 *
 * Private fields stay invisible: they are not listed as properties, they are not copied by spread, `structuredClone` or JSON, and they can
 * be written even when the object is frozen. They also cost less memory than an entry in a `WeakMap`.
 *
 * The object does not get the methods of the derived class. Those methods are therefore static and take the object as their argument.
 */
export class AttachedFields {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: attaches the fields of the derived class to the object
    return object;
  }
}
