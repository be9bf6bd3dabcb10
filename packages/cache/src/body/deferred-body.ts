import { inspect } from "node:util";
import type { ObjectKey } from "@kubewright/apimachinery";
import type { Fingerprint } from "./fingerprint.ts";
import { shareStrings } from "./shared-strings.ts";

/** The JSON of an object or array, or both that and what it became: then the next version is given it, too, if it has not changed. */
export type Unread = string | KeptMember;

/** What is made of the text is frozen, since several versions of an object have it. */
export class KeptMember {
  readonly text: string;
  #value: object | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get value(): object {
    this.#value ??= deepFreezeParsed(JSON.parse(this.text) as object);
    return this.#value;
  }
}

/** A member that nobody has read, or what it became when somebody did. */
type Member = Unread | object | undefined;

/** Makes of a class with private fields one that puts them on any object. */
class Itself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the fields of the derived class are to be the object's
    return object;
  }
}

/**
 * The deferred members of an object, on the object itself: a private field is on no list of properties, is not copied, and can be
 * written when the object is frozen. Hardly any object has more than two, and each field costs each object.
 */
class Deferred extends Itself {
  #first: Member;
  #rest: Member | MoreMembers;

  constructor(object: object, texts: readonly Unread[]) {
    super(object);
    this.#first = texts[0];
    this.#rest = texts.length > 2 ? new MoreMembers(texts.slice(1)) : texts[1];
  }

  static isIn(object: object): object is Deferred {
    return #first in object;
  }

  // Not methods: the objects have the fields of this class, and nothing else of it.

  static at(object: Deferred, index: number): Member {
    if (index === 0) return object.#first;
    return object.#rest instanceof MoreMembers ? object.#rest.members[index - 1] : object.#rest;
  }

  static put(object: Deferred, index: number, value: Member): void {
    if (index === 0) object.#first = value;
    else if (object.#rest instanceof MoreMembers) object.#rest.members[index - 1] = value;
    else object.#rest = value;
  }

  static all(object: Deferred): readonly Member[] {
    return [object.#first, ...(object.#rest instanceof MoreMembers ? object.#rest.members : [object.#rest])];
  }
}

class MoreMembers {
  readonly members: Member[];

  constructor(members: Member[]) {
    this.members = members;
  }
}

/** What the bytes of an object said about it and nobody sees. */
class Noted extends Itself {
  #key: ObjectKey;
  #cut: Fingerprint;

  constructor(object: object, key: ObjectKey, cut: Fingerprint) {
    super(object);
    this.#key = key;
    this.#cut = cut;
  }

  static keyOf(object: object): ObjectKey | undefined {
    return #key in object ? object.#key : undefined;
  }

  static cutOf(object: object): Fingerprint {
    return #cut in object ? object.#cut : 0;
  }
}

const inspectDescriptor: PropertyDescriptor = {
  value(this: object, _depth: number, options: object): string {
    return inspect({ ...this }, options);
  },
  writable: true,
  enumerable: false,
  configurable: true,
};

/**
 * Gives an object the text of its members that have accessors.
 *
 * @param texts the JSON of objects and arrays, in the order of the accessors; at least one
 */
export function holdTexts(object: object, texts: readonly Unread[]): void {
  new Deferred(object, texts);
  Object.defineProperty(object, inspect.custom, inspectDescriptor);
}

export const lengthOf = (member: Unread): number => (typeof member === "string" ? member.length : member.text.length);

/** A deferred member, as long as its text is there. */
export function heldMemberOf(object: object, index: number): Unread | undefined {
  const member = Deferred.isIn(object) ? Deferred.at(object, index) : undefined;
  return typeof member === "string" || member instanceof KeptMember ? member : undefined;
}

/** The text of a deferred member, as long as nobody has read it. */
export function heldTextOf(object: object, index: number): string | undefined {
  const member = heldMemberOf(object, index);
  return typeof member === "string" ? member : member?.text;
}

/**
 * Notes the key that an object has, so that it is not made of its metadata again and again.
 *
 * @param cut the fingerprint of what was left out of it
 */
export function holdKey(object: object, key: ObjectKey, cut: Fingerprint): void {
  new Noted(object, key, cut);
}

export const heldKeyOf = (object: object): ObjectKey | undefined => Noted.keyOf(object);
export const heldCutOf = (object: object): Fingerprint => Noted.cutOf(object);

/** Accessors are the same functions for all objects: functions of its own would cost each object more than its metadata. */
const accessors: Map<string, PropertyDescriptor>[] = [];

/** The accessor of a member that is parsed when it is read, for objects that are given its text by {@link holdTexts}. */
export function accessorOf(name: string, index: number): PropertyDescriptor {
  accessors[index] ??= new Map();
  const known = accessors[index].get(name);
  if (known) return known;
  const accessor: PropertyDescriptor = {
    get(this: object) {
      return read(this, index);
    },
    set(this: object, value: unknown) {
      if (Object.isFrozen(this)) throw new TypeError(`Cannot assign to read only property '${name}' of object`);
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      if (Deferred.isIn(this)) Deferred.put(this, index, undefined);
    },
    enumerable: true,
    configurable: true,
  };
  accessors[index].set(name, accessor);
  return accessor;
}

/** Whether parts of an object may be unread; Object.freeze and the like must then be left to {@link freezeDeferred}. */
export const isDeferred = (object: object): boolean => Deferred.isIn(object);

/**
 * Freezes an object without reading it: its members are frozen when they are parsed.
 *
 * @param freezePart freezes a value and all that is in it
 */
export function freezeDeferred<T extends object>(object: T, freezePart: (value: unknown) => unknown): T {
  for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(object)))
    if ("value" in descriptor) freezePart(descriptor.value);
  if (Deferred.isIn(object))
    for (const member of Deferred.all(object)) if (!(member instanceof KeptMember)) freezePart(member);
  return Object.freeze(object);
}

function read(object: object, index: number): unknown {
  const holder = Deferred.isIn(object) ? object : holderAbove(object);
  if (!holder) return undefined;
  const member = Deferred.at(holder, index);
  if (member instanceof KeptMember) return member.value;
  if (typeof member !== "string") return member;
  const value = JSON.parse(member) as object;
  // Of what changes all the time there will be another version before the sharing has paid.
  if (Noted.cutOf(holder) === 0) shareStrings(value);
  if (Object.isFrozen(holder)) deepFreezeParsed(value);
  Deferred.put(holder, index, value);
  return value;
}

/** An object may be another's prototype. */
function holderAbove(object: object): Deferred | undefined {
  const above: unknown = Object.getPrototypeOf(object);
  if (typeof above !== "object" || above === null) return undefined;
  return Deferred.isIn(above) ? above : holderAbove(above);
}

function deepFreezeParsed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreezeParsed(part);
  return Object.freeze(value);
}
