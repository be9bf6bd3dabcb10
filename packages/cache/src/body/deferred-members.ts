import { AttachedFields } from "./attached-fields.ts";

/** A member that has not been parsed: its JSON, alone or in a {@link KeptMember}. */
export type UnreadMember = string | KeptMember;

/**
 * The JSON of an object or array, and its value once it has been read. The text is kept so that the next version of the object can be
 * compared with it and share the value if nothing has changed. Because the value is shared, it is always frozen.
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

/** A deferred member: unread, parsed, or `undefined` after something else was assigned to it. */
type DeferredMember = UnreadMember | object | undefined;

/**
 * The deferred members of an object, attached to the object itself; see {@link AttachedFields}. A member is identified by its position
 * among them. Few objects have more than two deferred members, and each field costs every object memory, so the third and later ones share
 * a list.
 */
export class DeferredMembers extends AttachedFields {
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

/** Returns a deferred member of an object while its text is available: unread, or kept. */
export function unreadMemberOf(object: object, index: number): UnreadMember | undefined {
  const member = DeferredMembers.areIn(object) ? DeferredMembers.get(object, index) : undefined;
  return typeof member === "string" || member instanceof KeptMember ? member : undefined;
}

/** Returns the JSON of a member. */
export const jsonOf = (member: UnreadMember): string => (typeof member === "string" ? member : member.text);

/** Freezes the result of `JSON.parse`. It contains nothing deferred or frozen, and is nested no deeper than a decoder allows. */
export function freezeParsed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freezeParsed(part);
  return Object.freeze(value);
}
