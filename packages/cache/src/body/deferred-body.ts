import { inspect } from "node:util";

/** Where an object keeps what has not been parsed: not enumerable, so nobody sees it who does not look for it. */
const held: unique symbol = Symbol("unread");

/** Members as text: first how many of them are unread, then where each begins and ends, then the text. */
type PackedText = Buffer;

/** The members of a frozen object, which cannot be put into it any more. */
interface FrozenMembers {
  text: PackedText | undefined;
  readonly values: unknown[];
}

interface Holder {
  [held]: PackedText | FrozenMembers | undefined;
}

const rangesAt = 4;
const bytesOfRange = 8;
/** More bytes between members than this are worth a second copy. */
const fewBytes = 64;

/**
 * Copies members out of the bytes that came, into memory of just the right size and outside of the heap: what a collector does
 * not walk costs nothing while nobody reads it. A pooled `Buffer` would keep a pool of 64 KiB alive.
 *
 * @param ranges where each begins and ends, in order; at most 255
 */
export function packText(bytes: Buffer, ranges: readonly number[]): PackedText {
  const count = ranges.length / 2;
  const textAt = rangesAt + count * bytesOfRange;
  const first = ranges[0] as number;
  const last = ranges[ranges.length - 1] as number;
  let size = 0;
  for (let i = 0; i < count; i++) size += (ranges[2 * i + 1] as number) - (ranges[2 * i] as number);
  const isDense = last - first - size <= fewBytes;
  const packed = Buffer.allocUnsafeSlow(textAt + (isDense ? last - first : size));
  packed[0] = count;
  if (isDense) bytes.copy(packed, textAt, first, last);
  let at = textAt;
  for (let i = 0; i < count; i++) {
    const start = ranges[2 * i] as number;
    const end = ranges[2 * i + 1] as number;
    if (isDense) at = textAt + start - first;
    else bytes.copy(packed, at, start, end);
    packed.writeUInt32LE(at, rangesAt + i * bytesOfRange);
    at += end - start;
    packed.writeUInt32LE(at, rangesAt + i * bytesOfRange + 4);
  }
  return packed;
}

const textDescriptor: PropertyDescriptor = { value: undefined, writable: true, enumerable: false, configurable: true };
const inspectDescriptor: PropertyDescriptor = {
  value(this: object, _depth: number, options: object): string {
    return inspect({ ...this }, options);
  },
  writable: true,
  enumerable: false,
  configurable: true,
};

/** Gives an object the text of its members. */
export function holdText(object: object, text: PackedText): void {
  textDescriptor.value = text;
  Object.defineProperty(object, held, textDescriptor);
  textDescriptor.value = undefined;
  Object.defineProperty(object, inspect.custom, inspectDescriptor);
}

/** Accessors are the same functions for all objects: functions of its own would cost each object more than its metadata. */
const accessors: Map<string, PropertyDescriptor>[] = [];

/** The accessor of a member that is parsed when it is read, for objects that have been given its text by {@link holdText}. */
export function accessorOf(name: string, index: number): PropertyDescriptor {
  accessors[index] ??= new Map();
  const known = accessors[index].get(name);
  if (known) return known;
  const accessor: PropertyDescriptor = {
    get(this: Holder) {
      return read(this, name, index);
    },
    set(this: Holder, value: unknown) {
      if (!Object.isExtensible(this)) throw new TypeError(`Cannot assign to read only property '${name}' of object`);
      settle(this, name, value);
    },
    enumerable: true,
    configurable: true,
  };
  accessors[index].set(name, accessor);
  return accessor;
}

/** Whether parts of an object may be unread; Object.freeze and the like must then be left to {@link freezeDeferred}. */
export const isDeferred = (object: object): boolean => held in object;

/**
 * Freezes an object without reading it: its members are frozen when they are parsed.
 *
 * @param freezePart freezes a value and all that is in it
 */
export function freezeDeferred<T extends object>(object: T, freezePart: (value: unknown) => unknown): T {
  const holder = object as T & Holder;
  const text = holder[held];
  for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(object)))
    if ("value" in descriptor) freezePart(descriptor.value);
  if (Buffer.isBuffer(text)) holder[held] = { text, values: [] };
  return Object.freeze(object);
}

function read(object: Holder, name: string, index: number): unknown {
  const text = object[held];
  if (text === undefined) return undefined;
  if (Buffer.isBuffer(text) && Object.isExtensible(object)) return settle(object, name, parseMember(text, index));
  const members = Buffer.isBuffer(text) ? membersOf(object, text) : text;
  if (index in members.values || !members.text) return members.values[index];
  const value = deepFreezeParsed(parseMember(members.text, index));
  members.values[index] = value;
  if (isLast(members.text)) members.text = undefined;
  return value;
}

/** Of objects that somebody else has frozen. */
const frozenElsewhere = new WeakMap<object, FrozenMembers>();

function membersOf(object: object, text: PackedText): FrozenMembers {
  const known = frozenElsewhere.get(object);
  if (known) return known;
  const members: FrozenMembers = { text, values: [] };
  frozenElsewhere.set(object, members);
  return members;
}

/** Puts a value in the place of the accessor, and lets go of the text when it was the last of it. */
function settle(object: Holder, name: string, value: unknown): unknown {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  const text = object[held];
  if (Buffer.isBuffer(text) && isLast(text)) object[held] = undefined;
  return value;
}

/** Counts one member as read. Each is read once: afterwards its value is in its place. */
function isLast(text: PackedText): boolean {
  const unread = (text[0] as number) - 1;
  text[0] = unread;
  return unread === 0;
}

function parseMember(text: PackedText, index: number): unknown {
  const at = rangesAt + index * bytesOfRange;
  return JSON.parse(text.toString("utf8", text.readUInt32LE(at), text.readUInt32LE(at + 4)));
}

function deepFreezeParsed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreezeParsed(part);
  return Object.freeze(value);
}
