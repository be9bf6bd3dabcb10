import { JsonMembers } from "@kubewright/apimachinery";
import { deferMembers, freezeParsed, KeptMember, MemberAccessors, type UnreadMember } from "./deferred-members.ts";
import { isName, parsedValue, textAt } from "./json-text.ts";

const [openBrace, openBracket] = [0x7b, 0x5b];
/** Minimum length in bytes of a deferred member. Shorter values are parsed immediately, because storing them as text would cost more. */
const leastDeferred = 32;

/** Options for a {@link LazyDecoder}. */
export interface LazyDecoderOptions {
  /** True to freeze objects. Values of deferred members are then frozen when they are parsed. Default false. */
  readonly freezes?: boolean | undefined;
  /** Accessors for deferred members. Default: a set that all decoders share. */
  readonly accessors?: MemberAccessors | undefined;
  /**
   * Skips the value of the member at the cursor, and adds the member to the table or omits it. Returns false if the caller must parse the
   * whole object. Default: adds every member, and defers objects and arrays of at least 32 bytes.
   */
  readonly addMember?: ((bytes: Buffer, cursor: JsonMembers, table: MemberTable) => boolean) | undefined;
  /** Returns the value of a member that is not deferred. Default: parses its JSON, and freezes the value if `freezes` is set. */
  readonly parseMember?: ((bytes: Buffer, name: string, start: number, end: number) => unknown) | undefined;
}

/**
 * Decodes JSON objects lazily: long members are not parsed until they are first read. The result is indistinguishable
 * from that of `JSON.parse`. Unusual input (duplicate names, escaped names, integers that a double cannot represent) is
 * not supported; the caller must parse such an object as a whole.
 *
 * Use one decoder for all objects of a kind, because decoders cache the shapes of objects.
 */
export class LazyDecoder {
  readonly #table = new MemberTable();
  readonly #layouts: ObjectLayouts;
  readonly #freezes: boolean;
  readonly #addMember: NonNullable<LazyDecoderOptions["addMember"]>;
  readonly #parseMember: NonNullable<LazyDecoderOptions["parseMember"]>;
  /** Layout of the scanned object. */
  #layout: ObjectLayout | undefined;

  constructor(options: LazyDecoderOptions = {}) {
    this.#freezes = options.freezes ?? false;
    this.#layouts = new ObjectLayouts(options.accessors ?? sharedAccessors);
    this.#addMember = options.addMember ?? addAny;
    this.#parseMember = options.parseMember ?? (this.#freezes ? frozenValue : plainValue);
  }

  /** Decodes the object that starts at `start`. @returns `undefined` if the object must be parsed as a whole */
  decode(bytes: Buffer, start = 0): object | undefined {
    if (this.scan(bytes, start) < 0) return undefined;
    const object = this.create(bytes);
    return this.#freezes ? Object.freeze(object) : object;
  }

  /**
   * Finds the members of the object that starts at `start`, for use by {@link create}.
   *
   * @returns the position after the object, or -1 if the object must be parsed as a whole
   */
  scan(bytes: Buffer, start: number): number {
    const table = this.#table;
    table.clear();
    this.#layout = undefined;
    if (bytes[start] !== openBrace) return -1;
    const cursor = new JsonMembers(bytes, start);
    while (cursor.next()) if (!this.#addMember(bytes, cursor, table)) return -1;
    if (cursor.end < 0) return -1;
    this.#layout = this.#layouts.find(bytes, table);
    return this.#layout ? cursor.end : -1;
  }

  /** Reports whether the scanned object has a member. */
  has(name: string): boolean {
    return this.#layout?.names.includes(name) ?? false;
  }

  /**
   * Creates the scanned object. The object is not frozen.
   *
   * @param before members to put before the scanned object's members
   * @throws {Error} if {@link scan} did not find an object
   */
  create(bytes: Buffer, before?: object): object {
    const layout = this.#layout;
    if (!layout) throw new Error("no object was scanned");
    const { names, accessors } = layout;
    const { starts, ends } = this.#table;
    const object: Record<string, unknown> = before ? { ...before } : {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const accessor = accessors[i];
      if (accessor) Object.defineProperty(object, name, accessor);
      else object[name] = this.#parseMember(bytes, name, starts[i] as number, ends[i] as number);
    }
    if (layout.deferred > 0) deferMembers(object, this.#table.deferredOf(bytes));
    return object;
  }
}

const sharedAccessors = new MemberAccessors();

const plainValue = (bytes: Buffer, _name: string, start: number, end: number): unknown =>
  parsedValue(bytes, start, end);
const frozenValue = (bytes: Buffer, _name: string, start: number, end: number): unknown =>
  freezeParsed(parsedValue(bytes, start, end));

function addAny(bytes: Buffer, cursor: JsonMembers, table: MemberTable): boolean {
  cursor.skip();
  table.add(cursor, isComposite(bytes, cursor) && isLong(cursor));
  return true;
}

/** Reports whether the value at the cursor is an object or array. */
export function isComposite(bytes: Buffer, { valueStart }: JsonMembers): boolean {
  const first = bytes[valueStart];
  return first === openBrace || first === openBracket;
}

/** Reports whether the value that a cursor has skipped is long enough to be deferred. */
export const isLong = ({ valueStart, valueEnd }: JsonMembers): boolean => valueEnd - valueStart >= leastDeferred;

/** Positions of an object's members in its bytes. A table is reused for one object after another. */
export class MemberTable {
  count = 0;
  /** Number of deferred members. */
  deferred = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly isDeferred: boolean[] = [];
  /** Members of the previous version that have not changed, indexed by position among the deferred members. */
  readonly #same: (UnreadMember | undefined)[] = [];
  /**
   * True for each member whose text must be retained when the member is read, indexed by position among the deferred
   * members.
   */
  readonly #keepsText: boolean[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];

  clear(): void {
    this.count = 0;
    this.deferred = 0;
  }

  add(
    { nameStart, nameEnd, valueStart, valueEnd }: JsonMembers,
    isDeferred: boolean,
    same?: UnreadMember,
    keepsText = false,
  ): void {
    const index = this.count++;
    this.#nameStarts[index] = nameStart;
    this.#nameEnds[index] = nameEnd;
    this.starts[index] = valueStart;
    this.ends[index] = valueEnd;
    this.isDeferred[index] = isDeferred;
    if (!isDeferred) return;
    this.#same[this.deferred] = same;
    this.#keepsText[this.deferred++] = keepsText;
  }

  /** Drops the members of the previous version. Called if the next object is not a later version of the same object. */
  forgetPrevious(): void {
    this.#same.fill(undefined);
  }

  /** Returns the deferred members in the order of the object's members. */
  deferredOf(bytes: Buffer): readonly UnreadMember[] {
    const members: UnreadMember[] = [];
    for (let i = 0; i < this.count; i++) {
      if (!this.isDeferred[i]) continue;
      const place = members.length;
      const member = this.#same[place] ?? textAt(bytes, this.starts[i] as number, this.ends[i] as number);
      members.push(typeof member === "string" && this.#keepsText[place] ? new KeptMember(member) : member);
    }
    return members;
  }

  /** Returns the name of a member as it is written between its quotes, without resolving escapes. */
  nameOf(bytes: Buffer, index: number): string {
    return textAt(bytes, this.#nameStarts[index] as number, this.#nameEnds[index] as number);
  }

  hasName(bytes: Buffer, index: number, name: Buffer): boolean {
    return isName(bytes, this.#nameStarts[index] as number, this.#nameEnds[index] as number, name);
  }
}

/**
 * The names of an object's members in order, and information about which members are deferred. Objects with the same layout have the same
 * shape.
 */
class ObjectLayout {
  readonly names: readonly string[];
  /** The {@link names} as bytes. */
  readonly keys: readonly Buffer[];
  readonly isDeferred: readonly boolean[];
  readonly deferred: number;
  /** Accessors of the members, indexed by position. `undefined` for members that are not deferred. */
  readonly accessors: readonly (PropertyDescriptor | undefined)[];

  constructor(names: readonly string[], isDeferred: readonly boolean[], accessors: MemberAccessors) {
    this.names = names;
    this.keys = names.map((name) => Buffer.from(name));
    this.isDeferred = isDeferred;
    let deferred = 0;
    this.accessors = names.map((name, i) => (isDeferred[i] ? accessors.of(name, deferred++) : undefined));
    this.deferred = deferred;
  }
}

/** All layouts that have been found so far. Objects of one kind have only a few. */
class ObjectLayouts {
  readonly #known = new Map<string, ObjectLayout>();
  readonly #accessors: MemberAccessors;
  /** Layout of the previous object. Most objects have the same layout as the previous one. */
  #latest: ObjectLayout | undefined;

  constructor(accessors: MemberAccessors) {
    this.#accessors = accessors;
  }

  /**
   * Returns the layout of the members in a table.
   *
   * @returns `undefined` if `JSON.parse` must decode the object: because of duplicate names, because of names that JavaScript sorts or
   *   treats specially (`0`, `__proto__`), or because of too many members
   */
  find(bytes: Buffer, members: MemberTable): ObjectLayout | undefined {
    const latest = this.#latest;
    if (latest && isOf(latest, bytes, members)) return latest;
    const names: string[] = [];
    for (let index = 0; index < members.count; index++) names.push(members.nameOf(bytes, index));
    const layout = this.#of(names, members.isDeferred.slice(0, members.count));
    if (layout) this.#latest = layout;
    return layout;
  }

  #of(names: readonly string[], isDeferred: readonly boolean[]): ObjectLayout | undefined {
    const key = names.map((name, i) => `${name}${isDeferred[i] ? "?" : ""}`).join("\n");
    const known = this.#known.get(key);
    if (known) return known;
    if (new Set(names).size < names.length || !names.every((name) => ordinaryName.test(name))) return undefined;
    if (this.#known.size >= maxLayouts || names.length > maxMembers) return undefined;
    const layout = new ObjectLayout(names, isDeferred, this.#accessors);
    this.#known.set(key, layout);
    return layout;
  }
}

function isOf({ keys, isDeferred }: ObjectLayout, bytes: Buffer, members: MemberTable): boolean {
  if (members.count !== keys.length) return false;
  for (let index = 0; index < keys.length; index++)
    if (isDeferred[index] !== members.isDeferred[index] || !members.hasName(bytes, index, keys[index] as Buffer))
      return false;
  return true;
}

const ordinaryName = /^[a-zA-Z][\w$-]*$/;
/** Maximum number of layouts. It limits the memory for kinds whose objects may have arbitrary members. */
const maxLayouts = 1_000;
const maxMembers = 100;
