import type { JsonMembers, ObjectKey } from "@kubewright/apimachinery";
import {
  freezeParsed,
  isComposite,
  isLong,
  isName,
  isPlainString,
  jsonOf,
  LazyDecoder,
  MemberAccessors,
  type MemberTable,
  parsedValue,
  SharedParts,
  shareStrings,
} from "@kubewright/lazy-json";
import {
  endOfFingerprint,
  type Fingerprint,
  fingerprintOf,
  type KeptManagedFields,
  ManagedFieldsCutter,
} from "./managed-fields.ts";
import { notedCutOf, noteKey } from "./object-notes.ts";
import { PreviousVersion, type StoredObject } from "./previous-version.ts";

const [openBrace, quote] = [0x7b, 0x22];
const metadataKey = Buffer.from("metadata");
const nameKey = Buffer.from("name");
const namespaceKey = Buffer.from("namespace");
const labelsKey = Buffer.from("labels");
const nothingStored: StoredObject = () => undefined;

/**
 * Accessors that parse members on demand. The strings of an object with a fingerprint are not shared: such an object changes often, so its
 * next version would arrive before sharing pays off.
 */
const accessors = new MemberAccessors((value, isFrozen, object) => {
  if (notedCutOf(object) === 0) shareStrings(value, isFrozen);
  else if (isFrozen) freezeParsed(value);
});

/** API version and kind of a list's items, which do not contain their own. */
export interface TypeOfItems {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Decodes objects lazily. The object's type and short metadata are parsed immediately; all other objects and arrays are
 * parsed when they are first read. The result is indistinguishable from that of `JSON.parse`. Unusual input (duplicate
 * names, escaped names, integers that a double cannot represent) is not supported; the caller must parse such an object
 * as a whole.
 */
export class ObjectDecoder {
  readonly #decoder: LazyDecoder;
  readonly #previous: PreviousVersion;
  readonly #metadata: MetadataDecoder;
  readonly #freezes: boolean;
  readonly #apiVersion = new SharedParts(parsedValue);
  readonly #kind = new SharedParts(parsedValue);
  #hasMetadata = false;
  #end = -1;

  /**
   * @param stored looks up the stored version of an object; members with identical bytes are reused from it
   * @param freezes true to freeze objects, except those with `managedFields` that must still be removed
   */
  constructor(managedFields: KeptManagedFields, stored: StoredObject = nothingStored, freezes = false) {
    this.#previous = new PreviousVersion(stored);
    this.#metadata = new MetadataDecoder(managedFields, this.#previous, freezes);
    this.#freezes = freezes;
    this.#decoder = new LazyDecoder({
      accessors,
      addMember: (bytes, cursor, table) => this.#addMember(bytes, cursor, table),
      parseMember: (bytes, name, start, end) => this.#value(bytes, name, start, end),
    });
  }

  /** Offset at which the last decoded object ends, or -1 if the caller must parse the object. */
  get end(): number {
    return this.#end;
  }

  /**
   * Decodes the object that begins at `start`.
   *
   * @param type API version and kind for an object without `kind`
   * @returns `undefined` if the object must be parsed as a whole
   */
  decode(bytes: Buffer, start: number, type?: TypeOfItems): object | undefined {
    this.#end = -1;
    this.#hasMetadata = false;
    const end = this.#decoder.scan(bytes, start);
    if (end < 0 || !this.#hasMetadata) return undefined;
    this.#end = end;
    const object = this.#decoder.create(bytes, type && !this.#decoder.has("kind") ? type : undefined);
    const { key, cut } = this.#metadata;
    if (key !== undefined) noteKey(object, key, cut);
    this.#previous.forget();
    return this.#metadata.isFrozen ? Object.freeze(object) : object;
  }

  #addMember(bytes: Buffer, cursor: JsonMembers, table: MemberTable): boolean {
    if (isName(bytes, cursor.nameStart, cursor.nameEnd, metadataKey)) {
      if (this.#hasMetadata || bytes[cursor.valueStart] !== openBrace) return false;
      this.#hasMetadata = true;
      cursor.skipTo(this.#metadata.scan(bytes, cursor.valueStart));
      table.add(cursor, false);
    } else if (!isComposite(bytes, cursor)) {
      cursor.skip();
      table.add(cursor, false);
    } else if (this.#hasMetadata) {
      const { deferred } = table;
      const same = this.#previous.sameInBody(deferred, bytes, cursor.valueStart);
      if (same === undefined) cursor.skip();
      else cursor.skipTo(cursor.valueStart + jsonOf(same).length);
      table.add(cursor, isLong(cursor), same, this.#previous.keepsInBody(deferred));
    } else {
      cursor.skip();
      table.add(cursor, isLong(cursor));
    }
    return true;
  }

  #value(bytes: Buffer, name: string, start: number, end: number): unknown {
    if (name === "metadata") return this.#metadata.decode(bytes);
    if (name === "apiVersion") return this.#apiVersion.of(bytes, start, end);
    if (name === "kind") return this.#kind.of(bytes, start, end);
    const value = parsedValue(bytes, start, end);
    return this.#freezes ? freezeParsed(value) : value;
  }
}

/**
 * Decodes an object's metadata, omitting the `managedFields` that should not be retained. Decoding takes two steps: {@link scan} finds the
 * members, and {@link decode} creates the metadata object from them.
 */
class MetadataDecoder {
  readonly #decoder: LazyDecoder;
  readonly #previous: PreviousVersion;
  readonly #cutter: ManagedFieldsCutter;
  readonly #freezes: boolean;
  /** Values that many objects share, keyed by member. */
  readonly #shared = new Map<string, SharedParts>(sharedMembers.map((name) => [name, new SharedParts(sharedValue)]));
  readonly #namespaces = new SharedParts(parsedValue);
  #name: string | undefined;
  #namespace: string | undefined;
  #key: ObjectKey | undefined;
  #hasSameLabels = false;
  #hasForeignFields = false;
  #fingerprint: Fingerprint = 0;
  /** True if the key cannot change any more: either name and namespace have been seen, or no key can be derived from them. */
  #isKeySettled = false;

  constructor(managedFields: KeptManagedFields, previous: PreviousVersion, freezes: boolean) {
    this.#cutter = new ManagedFieldsCutter(managedFields);
    this.#freezes = freezes;
    this.#previous = previous;
    this.#decoder = new LazyDecoder({
      accessors,
      addMember: (bytes, cursor, table) => this.#addMember(bytes, cursor, table),
      parseMember: (bytes, name, start, end) => this.#value(bytes, name, start, end),
    });
  }

  /** The key of the scanned object; `undefined` if it can be determined only from the decoded metadata. */
  get key(): ObjectKey | undefined {
    return this.#key;
  }

  /** The fingerprint of the omitted `managedFields`, which the next version is compared with. */
  get cut(): Fingerprint {
    return this.#fingerprint;
  }

  /** True if the decoded metadata is frozen. It is not frozen if freezing is disabled or some `managedFields` must still be removed. */
  get isFrozen(): boolean {
    return this.#freezes && !this.#hasForeignFields;
  }

  /**
   * Finds the members of the metadata that begins at `start`. Returns the end offset, or -1 if the metadata must be parsed with
   * `JSON.parse`.
   */
  scan(bytes: Buffer, start: number): number {
    this.#previous.forget();
    this.#name = undefined;
    this.#namespace = undefined;
    this.#key = undefined;
    this.#isKeySettled = false;
    this.#hasSameLabels = false;
    this.#hasForeignFields = false;
    this.#fingerprint = 0;
    const end = this.#decoder.scan(bytes, start);
    if (end >= 0) this.#settleKey();
    return end;
  }

  #addMember(bytes: Buffer, cursor: JsonMembers, table: MemberTable): boolean {
    if (isComposite(bytes, cursor)) {
      if (this.#name !== undefined) this.#settleKey();
      if (this.#cutter.mayCut(bytes, cursor)) this.#addManagedFields(bytes, cursor, table);
      else if (isName(bytes, cursor.nameStart, cursor.nameEnd, labelsKey)) this.#addLabels(bytes, cursor, table);
      else this.#addOther(bytes, cursor, table);
    } else {
      cursor.skip();
      if (bytes[cursor.valueStart] === quote && cursor.valueEnd > 0) this.#noteName(bytes, cursor, table);
      table.add(cursor, false);
    }
    return true;
  }

  #addManagedFields(bytes: Buffer, members: JsonMembers, table: MemberTable): void {
    if (this.#cutter.cutsAll) {
      this.#cut(bytes, members);
      return;
    }
    members.skip();
    if (this.#cutter.cuts(bytes, members)) return;
    table.add(members, isLong(members));
    this.#hasForeignFields = true;
  }

  /** Adds the labels, which are never deferred, because most programs read them. */
  #addLabels(bytes: Buffer, members: JsonMembers, table: MemberTable): void {
    const end = this.#previous.endOfLabels(bytes, members.valueStart);
    if (end < 0) members.skip();
    else members.skipTo(end);
    table.add(members, false);
    this.#hasSameLabels = end >= 0;
  }

  #addOther(bytes: Buffer, members: JsonMembers, table: MemberTable): void {
    const { deferred } = table;
    const same = this.#previous.sameInMetadata(deferred, bytes, members.valueStart);
    if (same === undefined) members.skip();
    else members.skipTo(members.valueStart + jsonOf(same).length);
    table.add(members, isLong(members), same, this.#previous.keepsInMetadata(deferred));
  }

  /**
   * Skips an omitted member. If its length and checksum match those of the previous version's `managedFields`, the bytes are assumed to be
   * valid JSON and are not scanned, since nothing is decoded from them.
   */
  #cut(bytes: Buffer, members: JsonMembers): void {
    const before = this.#previous.cut;
    const end = endOfFingerprint(before, bytes, members.valueStart);
    if (end > 0) {
      this.#fingerprint = before;
      members.skipTo(end);
      return;
    }
    members.skip();
    if (this.#previous.isKnown && members.valueEnd > 0)
      this.#fingerprint = fingerprintOf(bytes, members.valueStart, members.valueEnd);
  }

  #noteName(bytes: Buffer, { nameStart, nameEnd, valueStart, valueEnd }: JsonMembers, table: MemberTable): void {
    const isOfName = isName(bytes, nameStart, nameEnd, nameKey);
    if (!isOfName && !isName(bytes, nameStart, nameEnd, namespaceKey)) return;
    if (this.#isKeySettled || !isPlainString(bytes, valueStart, valueEnd)) this.#forgetKey(table);
    else if (isOfName) this.#name = parsedValue(bytes, valueStart, valueEnd) as string;
    else this.#namespace = this.#namespaces.of(bytes, valueStart, valueEnd) as string;
  }

  #settleKey(): void {
    if (this.#isKeySettled || this.#name === undefined) return;
    this.#isKeySettled = true;
    this.#key = this.#previous.find(this.#namespace, this.#name);
  }

  /**
   * Discards the key, because the name or namespace came late, came twice or has escapes. The previous version that members were compared
   * with so far may then be a different object's.
   */
  #forgetKey(table: MemberTable): void {
    this.#isKeySettled = true;
    this.#key = undefined;
    this.#previous.forget();
    table.forgetPrevious();
    this.#hasSameLabels = false;
  }

  /** Creates the metadata object from the scanned members. */
  decode(bytes: Buffer): object {
    const metadata = this.#decoder.create(bytes);
    return this.isFrozen ? Object.freeze(metadata) : metadata;
  }

  #value(bytes: Buffer, name: string, start: number, end: number): unknown {
    if (bytes[start] === quote) {
      const before = this.#previous.sameString(name, bytes, start, end);
      if (before !== undefined) return before;
      if (name === "name" && this.#name !== undefined) return this.#name;
      if (name === "namespace" && this.#namespace !== undefined) return this.#namespace;
    }
    if (name === "labels" && this.#hasSameLabels) return this.#previous.labels;
    const shared = this.#shared.get(name);
    if (shared) return shared.of(bytes, start, end);
    const value = parsedValue(bytes, start, end);
    return this.#freezes ? freezeParsed(value) : value;
  }
}

/** Members whose values many objects have in common. */
const sharedMembers = ["generateName", "creationTimestamp", "labels", "annotations", "finalizers"];

const sharedValue = (bytes: Buffer, start: number, end: number): unknown =>
  freezeParsed(parsedValue(bytes, start, end));
