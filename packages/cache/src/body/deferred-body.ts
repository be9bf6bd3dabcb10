import { inspect } from "node:util";
import { DeferredMembers, freezeParsed, KeptMember, type UnreadMember } from "./deferred-members.ts";
import { notedCutOf } from "./object-notes.ts";
import { shareStrings } from "./shared-strings.ts";

// Most members of most objects (spec, status, annotations) are never read. Such a member is an accessor on the object, and its JSON is
// kept in invisible fields of the object (DeferredMembers). The first read parses the JSON and replaces the text with the value. The
// accessor stays, so all objects of a kind keep one shape. To other code the object looks like the result of JSON.parse: accessors are own
// and enumerable, so keys, spread, structuredClone and JSON work, and assigning to a member makes it an ordinary property.

/**
 * Attaches the text of its deferred members to an object. Each member must have an accessor made by {@link accessorOf}.
 *
 * @param members objects and arrays, in the order of the accessors; at least one
 */
export function deferMembers(object: object, members: readonly UnreadMember[]): void {
  new DeferredMembers(object, members);
  Object.defineProperty(object, inspect.custom, inspectDescriptor);
}

/** Makes `console.log` show the values of the members instead of their accessors. */
const inspectDescriptor: PropertyDescriptor = {
  value(this: object, _depth: number, options: object): string {
    return inspect({ ...this }, options);
  },
  writable: true,
  enumerable: false,
  configurable: true,
};

/** Accessors by position, then by name. All objects share them: separate functions would cost an object more memory than its metadata. */
const accessors: Map<string, PropertyDescriptor>[] = [];

/**
 * Returns the accessor of a member that is parsed when it is first read.
 *
 * @param index position of the member among the deferred members of its object
 */
export function accessorOf(name: string, index: number): PropertyDescriptor {
  accessors[index] ??= new Map();
  const known = accessors[index].get(name);
  if (known) return known;
  const accessor = newAccessor(name, index);
  accessors[index].set(name, accessor);
  return accessor;
}

function newAccessor(name: string, index: number): PropertyDescriptor {
  return {
    get(this: object) {
      return read(this, index);
    },
    set(this: object, value: unknown) {
      if (Object.isFrozen(this)) throw new TypeError(`Cannot assign to read only property '${name}' of object`);
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      if (DeferredMembers.areIn(this)) DeferredMembers.set(this, index, undefined);
    },
    enumerable: true,
    configurable: true,
  };
}

function read(object: object, index: number): unknown {
  const holder = DeferredMembers.areIn(object) ? object : prototypeWithMembers(object);
  if (!holder) return undefined;
  const member = DeferredMembers.get(holder, index);
  if (member instanceof KeptMember) return member.value;
  return typeof member === "string" ? parse(holder, index, member) : member;
}

/** Objects made by `Object.create(object)` inherit the accessors, but not the fields. */
function prototypeWithMembers(object: object): DeferredMembers | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (typeof prototype !== "object" || prototype === null) return undefined;
  return DeferredMembers.areIn(prototype) ? prototype : prototypeWithMembers(prototype);
}

function parse(holder: DeferredMembers, index: number, json: string): object {
  const value = JSON.parse(json) as object;
  const freezes = Object.isFrozen(holder);
  // An object with a fingerprint changes often: its next version arrives before sharing strings has paid off.
  if (notedCutOf(holder) === 0) shareStrings(value, freezes);
  else if (freezes) freezeParsed(value);
  DeferredMembers.set(holder, index, value);
  return value;
}

/** Returns the values of an object's members, except unread ones. If the object is frozen, those are frozen when they are parsed. */
export function readValuesOf(object: object): readonly unknown[] {
  if (!DeferredMembers.areIn(object)) return Object.values(object);
  const own = Object.values(Object.getOwnPropertyDescriptors(object)).map(({ value }) => value as unknown);
  return [...own, ...DeferredMembers.list(object).filter((member) => !(member instanceof KeptMember))];
}
