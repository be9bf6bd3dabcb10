/**
 * Base of classes whose private fields are attached to an existing object: `new Derived(object)` returns `object` itself, and the
 * fields that `Derived` declares become fields of it.
 *
 * Private fields suit what must stay invisible: they are on no list of properties, are not copied by spread, `structuredClone` or
 * JSON, and can be written even when the object is frozen. They also cost less memory than an entry in a `WeakMap`.
 *
 * The object does not get the methods of the derived class. They are therefore static, and take the object as their argument.
 */
export class AttachedFields {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the fields of the derived class are to be the object's
    return object;
  }
}
