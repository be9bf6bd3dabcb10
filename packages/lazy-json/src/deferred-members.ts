import { inspect } from "node:util";
import { textAt } from "./json-text.ts";

// A deferred member is an accessor on its object. Its JSON is stored in invisible fields of the object (DeferredMembers). When the member
// is first read, the JSON is parsed, and the value replaces the text. The accessor remains, so all objects with the same members have the
// same shape. To other code, the object looks like the result of JSON.parse: the accessors are its own enumerable properties, so
// Object.keys, spread, structuredClone and JSON work. Assigning to a member makes it an ordinary property.

/** A member that has not been parsed: its JSON, either as a string or in a {@link KeptMember}. */
export type UnreadMember = string | KeptMember;

/**
 * The JSON text of an object or array and, once the text has been parsed, its value. The text is kept for comparison
 * with the next version of the object. If the text has not changed, the next version shares the value, which is
 * therefore always frozen.
 */
export class KeptMember {
  readonly text: string;
  #value: object | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get value(): object {
    this.#value ??= freezeParsed(JSON.parse(this.text) as object);
    return this.#value;
  }
}

/** Returns the JSON of a member. */
export const jsonOf = (member: UnreadMember): string => (typeof member === "string" ? member : member.text);

/**
 * Returns the text of an object's deferred member at a position, or `undefined` if it is no longer available. The text
 * is available until the member is read or, for a {@link KeptMember}, permanently.
 */
export function unreadMemberOf(object: object, index: number): UnreadMember | undefined {
  const member = DeferredMembers.areIn(object) ? DeferredMembers.get(object, index) : undefined;
  return typeof member === "string" || member instanceof KeptMember ? member : undefined;
}

/**
 * Returns the values of those members of an object that have been parsed. If the object is frozen, the other members
 * will be frozen when they are parsed.
 */
export function readValuesOf(object: object): readonly unknown[] {
  if (!DeferredMembers.areIn(object)) return Object.values(object);
  const own = Object.values(Object.getOwnPropertyDescriptors(object)).map(({ value }) => value as unknown);
  return [...own, ...DeferredMembers.list(object).filter((member) => !(member instanceof KeptMember))];
}

/**
 * Returns the approximate size of an object in bytes, without parsing any members. For an object with deferred members,
 * only these members and `metadata` are measured, because the others are short.
 */
export function approximateSizeOf(object: object): number {
  let bytes = 0;
  const left: unknown[] = [object];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string") bytes += 24 + next.length;
    else if (next instanceof KeptMember) bytes += 24 + next.text.length;
    else if (typeof next !== "object" || next === null) bytes += 8;
    else if (DeferredMembers.areIn(next)) {
      bytes += shortMembersBytes;
      for (const member of DeferredMembers.list(next)) if (member !== undefined) left.push(member);
      const { value } = Object.getOwnPropertyDescriptor(next, "metadata") ?? {};
      if (value !== undefined) left.push(value);
    } else {
      bytes += 32;
      for (const value of Object.values(next)) left.push(value ?? null);
    }
  }
  return bytes;
}

/** Size that an object's members are assumed to have that are not deferred, in bytes. */
const shortMembersBytes = 200;

/**
 * Freezes the result of `JSON.parse` recursively. The value must not contain deferred members or frozen parts. Its
 * depth is limited by the decoder.
 */
export function freezeParsed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freezeParsed(part);
  return Object.freeze(value);
}

/**
 * Attaches the texts of deferred members to an object. Each member must have an accessor created by {@link MemberAccessors}.
 *
 * @param members objects and arrays in the order of the accessors; at least one
 */
export function deferMembers(object: object, members: readonly UnreadMember[]): void {
  new DeferredMembers(object, members);
  Object.defineProperty(object, inspect.custom, inspectDescriptor);
}

/** Makes `console.log` print the members' values instead of their accessors. */
const inspectDescriptor: PropertyDescriptor = {
  value(this: object, _depth: number, options: object): string {
    return inspect({ ...this }, options);
  },
  writable: true,
  enumerable: false,
  configurable: true,
};

/**
 * Called with a member's value when the member is first read, for example to share equal strings. If the object is
 * frozen, the function must freeze the value recursively.
 */
export type OnParsed = (value: object, isFrozen: boolean, object: object) => void;

/**
 * Accessors for deferred members, keyed by position and name. All objects share the accessors, because separate
 * functions would take more memory than all other members of an object. Decoders that use the same accessors create
 * objects of the same shape.
 */
export class MemberAccessors {
  readonly #onParsed: OnParsed;
  readonly #byPosition: Map<string, PropertyDescriptor>[] = [];

  /**
   * Creates a set of accessors. @param onParsed function that is called with each parsed value. Default: it freezes the value if the object
   *   is frozen.
   */
  constructor(onParsed: OnParsed = freezeIf) {
    this.#onParsed = onParsed;
  }

  /**
   * Returns the accessor of a member that is parsed when it is first read.
   *
   * @param index position of the member among its object's deferred members
   */
  of(name: string, index: number): PropertyDescriptor {
    this.#byPosition[index] ??= new Map();
    const known = this.#byPosition[index].get(name);
    if (known) return known;
    const accessor = newAccessor(name, index, this.#onParsed);
    this.#byPosition[index].set(name, accessor);
    return accessor;
  }
}

const freezeIf: OnParsed = (value, isFrozen) => {
  if (isFrozen) freezeParsed(value);
};

function newAccessor(name: string, index: number, onParsed: OnParsed): PropertyDescriptor {
  return {
    get(this: object) {
      return read(this, index, onParsed);
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

function read(object: object, index: number, onParsed: OnParsed): unknown {
  const holder = DeferredMembers.areIn(object) ? object : prototypeWithMembers(object);
  if (!holder) return undefined;
  const member = DeferredMembers.get(holder, index);
  if (member instanceof KeptMember) return member.value;
  if (typeof member !== "string") return member;
  const value = JSON.parse(member) as object;
  onParsed(value, Object.isFrozen(holder), holder);
  DeferredMembers.set(holder, index, value);
  return value;
}

/**
 * Returns the nearest prototype with deferred members. Objects created by `Object.create(object)` inherit the accessors, but not the
 * fields.
 */
function prototypeWithMembers(object: object): DeferredMembers | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (typeof prototype !== "object" || prototype === null) return undefined;
  return DeferredMembers.areIn(prototype) ? prototype : prototypeWithMembers(prototype);
}

/**
 * Base class for classes whose private fields are attached to an existing object: `new Derived(object)` adds the fields
 * that `Derived` declares to `object`, and returns `object` itself.
 *
 * Private fields are invisible: they are not listed as properties, and not copied by spread, `structuredClone` or JSON.
 * They can be written even if the object is frozen, and take less memory than an entry in a `WeakMap`.
 *
 * The object does not get the derived class's methods, so these must be static and take the object as an argument.
 */
export class AttachedFields {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: attaches the fields of the derived class to the object
    return object;
  }
}

/** A deferred member: its text, its parsed value, or `undefined` once another value has been assigned to it. */
type DeferredMember = UnreadMember | object | undefined;

/**
 * The deferred members of an object, which are attached to the object itself. A member is identified by its position among them. Each field
 * takes memory in every object, but few objects have more than two deferred members. Therefore, if there are more than two, all members
 * except the first share a list.
 */
class DeferredMembers extends AttachedFields {
  #first: DeferredMember;
  /** The second member, or a list of all members except the first. */
  #rest: DeferredMember | MemberList;

  constructor(object: object, members: readonly UnreadMember[]) {
    super(object);
    this.#first = members[0];
    this.#rest = members.length > 2 ? new MemberList(members.slice(1)) : members[1];
  }

  static areIn(object: object): object is DeferredMembers {
    return #first in object;
  }

  static get(object: DeferredMembers, index: number): DeferredMember {
    if (index === 0) return object.#first;
    return object.#rest instanceof MemberList ? object.#rest.members[index - 1] : object.#rest;
  }

  static set(object: DeferredMembers, index: number, member: DeferredMember): void {
    if (index === 0) object.#first = member;
    else if (object.#rest instanceof MemberList) object.#rest.members[index - 1] = member;
    else object.#rest = member;
  }

  static list(object: DeferredMembers): readonly DeferredMember[] {
    return [object.#first, ...(object.#rest instanceof MemberList ? object.#rest.members : [object.#rest])];
  }
}

class MemberList {
  readonly members: DeferredMember[];

  constructor(members: DeferredMember[]) {
    this.members = members;
  }
}

/**
 * Compares each deferred member of an object with the member at the same position in the object's previous version.
 * Some members rarely change, others nearly always do. Therefore, a member that differed more than {@link patience}
 * times in a row is compared only every {@link retryEvery} versions.
 */
export class MemberComparison {
  readonly #misses: number[] = [];

  /** Returns a deferred member of the previous version if the JSON at `start` is the same. */
  same(previous: object, index: number, bytes: Buffer, start: number): UnreadMember | undefined {
    const misses = this.#misses[index] ?? 0;
    const before = unreadMemberOf(previous, index);
    if (before === undefined && misses <= patience) return undefined; // the member has been read, so its text is no longer available
    this.#misses[index] = misses + 1;
    if (before === undefined || !isDue(misses)) return undefined;
    if (!isSameJson(jsonOf(before), bytes, start)) return undefined;
    this.#misses[index] = 0;
    return before;
  }

  /**
   * Reports whether the text of a member should be retained when the member is read, because the next version is likely to have the same
   * text.
   */
  isWorthwhile(index: number): boolean {
    return isDue(this.#misses[index] ?? 0);
  }
}

const patience = 8;
const retryEvery = 32;
const isDue = (misses: number): boolean => misses <= patience || misses % retryEvery === 0;

const [closeBrace, closeBracket, comma] = [0x7d, 0x5d, 0x2c];

/**
 * Reports whether the JSON at `start` is the given JSON of an object or array. A prefix of such a value is never a complete value, so the
 * value ends where the text ends. Text that is not ASCII never matches, because its length in bytes differs.
 */
function isSameJson(text: string, bytes: Buffer, start: number): boolean {
  const end = start + text.length;
  const next = bytes[end];
  if (next !== comma && next !== closeBrace && next !== closeBracket) return false;
  return bytes[end - 1] === text.charCodeAt(text.length - 1) && textAt(bytes, start, end) === text;
}
