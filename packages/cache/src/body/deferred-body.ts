import { inspect } from "node:util";
import { DeferredMembers, freezeParsed, KeptMember, type UnreadMember } from "./deferred-members.ts";
import { notedCutOf } from "./object-notes.ts";
import { shareStrings } from "./shared-strings.ts";

// The idea: most members of most objects (spec, status, annotations) are never read. Such a member is an accessor on the object,
// and its JSON is held beside the object in fields that nobody sees (DeferredMembers). The first read parses the JSON and replaces
// the text by the value; the accessor stays, so all objects of a kind keep one shape. To everybody else the object is what
// JSON.parse would have made: accessors are own and enumerable, hence keys, spread, structuredClone and JSON work, and assigning
// to a member makes an ordinary property of it.

/**
 * Gives an object the text of its deferred members. Each must have an accessor made by {@link accessorOf}.
 *
 * @param members objects and arrays, in the order of the accessors; at least one
 */
export function deferMembers(object: object, members: readonly UnreadMember[]): void {
  new DeferredMembers(object, members);
  Object.defineProperty(object, inspect.custom, inspectDescriptor);
}

/** `console.log` shows what the members are, not that they have accessors. */
const inspectDescriptor: PropertyDescriptor = {
  value(this: object, _depth: number, options: object): string {
    return inspect({ ...this }, options);
  },
  writable: true,
  enumerable: false,
  configurable: true,
};

/** By a member's place, then by its name. All objects share them: functions of its own would cost an object more than its metadata. */
const accessors: Map<string, PropertyDescriptor>[] = [];

/**
 * The accessor of a member that is parsed when it is first read.
 *
 * @param index the member's place among the deferred members of its object
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

/** Accessors are inherited by what `Object.create(object)` makes, the fields are not. */
function prototypeWithMembers(object: object): DeferredMembers | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (typeof prototype !== "object" || prototype === null) return undefined;
  return DeferredMembers.areIn(prototype) ? prototype : prototypeWithMembers(prototype);
}

function parse(holder: DeferredMembers, index: number, json: string): object {
  const value = JSON.parse(json) as object;
  const freezes = Object.isFrozen(holder);
  // An object with a fingerprint has changed before: its next version comes before sharing strings has paid.
  if (notedCutOf(holder) === 0) shareStrings(value, freezes);
  else if (freezes) freezeParsed(value);
  DeferredMembers.set(holder, index, value);
  return value;
}

/** The values of an object's members, but for those that are unread: they are frozen when they are parsed, if the object is. */
export function readValuesOf(object: object): readonly unknown[] {
  if (!DeferredMembers.areIn(object)) return Object.values(object);
  const own = Object.values(Object.getOwnPropertyDescriptors(object)).map(({ value }) => value as unknown);
  return [...own, ...DeferredMembers.list(object).filter((member) => !(member instanceof KeptMember))];
}
