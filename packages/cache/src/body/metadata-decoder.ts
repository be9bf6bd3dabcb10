import { JsonMembers, type ObjectKey } from "@kubewright/apimachinery";
import { deferMembers } from "./deferred-body.ts";
import { freezeParsed, jsonOf } from "./deferred-members.ts";
import { endOfFingerprint, type Fingerprint, fingerprintOf } from "./fingerprint.ts";
import { type KeptManagedFields, ManagedFieldsCutter } from "./managed-fields.ts";
import { MemberTable } from "./member-table.ts";
import { type ObjectLayout, ObjectLayouts } from "./object-layout.ts";
import { isName, isPlainString, parsedValue } from "./parsed-value.ts";
import type { PreviousVersion } from "./previous-version.ts";
import { SharedParts } from "./shared-parts.ts";

const [openBrace, openBracket, quote] = [0x7b, 0x5b, 0x22];
const nameKey = Buffer.from("name");
const namespaceKey = Buffer.from("namespace");
const labelsKey = Buffer.from("labels");
/** In bytes. Shorter values are parsed at once, because keeping them as text would cost more. */
const leastDeferred = 32;

/**
 * Decodes an object's metadata, leaving out the `managedFields` that are not kept. It takes two steps: {@link scan} finds the members,
 * {@link decode} makes the metadata from them.
 */
export class MetadataDecoder {
  readonly #members = new MemberTable();
  readonly #previous: PreviousVersion;
  readonly #cutter: ManagedFieldsCutter;
  readonly #freezes: boolean;
  readonly #layouts = new ObjectLayouts();
  /** Values that many objects share, by member. */
  readonly #shared = new Map<string, SharedParts>(sharedMembers.map((name) => [name, new SharedParts(sharedValue)]));
  readonly #namespaces = new SharedParts(parsedValue);
  #layout: ObjectLayout | undefined;
  #name: string | undefined;
  #namespace: string | undefined;
  #key: ObjectKey | undefined;
  #hasSameLabels = false;
  #hasForeignFields = false;
  #fingerprint: Fingerprint = 0;
  /** True once name and namespace have been seen, or no key can be derived from them here. */
  #isKeySettled = false;

  constructor(managedFields: KeptManagedFields, previous: PreviousVersion, freezes: boolean) {
    this.#cutter = new ManagedFieldsCutter(managedFields);
    this.#freezes = freezes;
    this.#previous = previous;
  }

  /** The key of the scanned object; `undefined` if only the decoded metadata can show it. */
  get key(): ObjectKey | undefined {
    return this.#key;
  }

  /** The fingerprint of the `managedFields` that were left out, for the next version. */
  get cut(): Fingerprint {
    return this.#fingerprint;
  }

  /**
   * True if the decoded metadata is frozen. It is not if freezing is disabled, or if some of its `managedFields` must still be removed.
   */
  get isFrozen(): boolean {
    return this.#freezes && !this.#hasForeignFields;
  }

  /** Finds the members of the metadata that begins at `start`. Returns its end, or -1 if it must be left to `JSON.parse`. */
  scan(bytes: Buffer, start: number): number {
    const found = this.#members;
    found.clear();
    this.#previous.forget();
    this.#name = undefined;
    this.#namespace = undefined;
    this.#key = undefined;
    this.#isKeySettled = false;
    this.#hasSameLabels = false;
    this.#hasForeignFields = false;
    this.#fingerprint = 0;
    const members = new JsonMembers(bytes, start);
    while (members.next()) {
      const first = bytes[members.valueStart];
      if (first === openBrace || first === openBracket) this.#addComposite(bytes, members);
      else {
        members.skip();
        if (first === quote && members.valueEnd > 0) this.#noteName(bytes, members);
        found.add(members, false);
      }
    }
    if (members.end < 0) return -1;
    this.#settleKey();
    this.#layout = this.#layouts.find(bytes, found);
    return this.#layout ? members.end : -1;
  }

  #addComposite(bytes: Buffer, members: JsonMembers): void {
    if (this.#name !== undefined) this.#settleKey();
    if (this.#cutter.mayCut(bytes, members)) this.#addManagedFields(bytes, members);
    else if (isName(bytes, members.nameStart, members.nameEnd, labelsKey)) this.#addLabels(bytes, members);
    else this.#addOther(bytes, members);
  }

  #addManagedFields(bytes: Buffer, members: JsonMembers): void {
    if (this.#cutter.cutsAll) {
      this.#cut(bytes, members);
      return;
    }
    members.skip();
    if (this.#cutter.cuts(bytes, members)) return;
    this.#members.add(members, isLong(members));
    this.#hasForeignFields = true;
  }

  /** Labels are never deferred, because most programs read them. */
  #addLabels(bytes: Buffer, members: JsonMembers): void {
    const end = this.#previous.endOfLabels(bytes, members.valueStart);
    if (end < 0) members.skip();
    else members.skipTo(end);
    this.#members.add(members, false);
    this.#hasSameLabels = end >= 0;
  }

  #addOther(bytes: Buffer, members: JsonMembers): void {
    const found = this.#members;
    const { deferred } = found;
    const same = this.#previous.sameInMetadata(deferred, bytes, members.valueStart);
    if (same === undefined) members.skip();
    else members.skipTo(members.valueStart + jsonOf(same).length);
    found.add(members, isLong(members), same, this.#previous.keepsInMetadata(deferred));
  }

  /**
   * Skips a member that is left out. If length and checksum match those of the previous version's `managedFields`, the bytes are taken to
   * be valid JSON without being scanned, since nothing is decoded from them.
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

  #noteName(bytes: Buffer, { nameStart, nameEnd, valueStart, valueEnd }: JsonMembers): void {
    const isOfName = isName(bytes, nameStart, nameEnd, nameKey);
    if (!isOfName && !isName(bytes, nameStart, nameEnd, namespaceKey)) return;
    if (this.#isKeySettled || !isPlainString(bytes, valueStart, valueEnd)) this.#giveUpKey();
    else if (isOfName) this.#name = parsedValue(bytes, valueStart, valueEnd) as string;
    else this.#namespace = this.#namespaces.of(bytes, valueStart, valueEnd) as string;
  }

  #settleKey(): void {
    if (this.#isKeySettled || this.#name === undefined) return;
    this.#isKeySettled = true;
    this.#key = this.#previous.find(this.#namespace, this.#name);
  }

  /** Name or namespace came late, came twice or has escapes: the members compared so far may belong to another object. */
  #giveUpKey(): void {
    this.#isKeySettled = true;
    this.#key = undefined;
    this.#previous.forget();
    this.#members.forgetPrevious();
    this.#hasSameLabels = false;
  }

  /** Makes the metadata from the scanned members. */
  decode(bytes: Buffer): object {
    const layout = this.#layout as ObjectLayout;
    const { names, isDeferred } = layout;
    const { starts, ends } = this.#members;
    const values: unknown[] = [];
    for (let i = 0; i < names.length; i++) {
      const value = isDeferred[i]
        ? undefined
        : this.#value(bytes, names[i] as string, starts[i] as number, ends[i] as number);
      values.push(value);
    }
    const metadata = layout.create(values, undefined);
    if (layout.deferred > 0) deferMembers(metadata, this.#members.deferredOf(bytes));
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

/** Reports whether a value is long enough to be deferred. */
export const isLong = ({ valueStart, valueEnd }: JsonMembers): boolean => valueEnd - valueStart >= leastDeferred;

/** Members whose values many objects have in common. */
const sharedMembers = ["generateName", "creationTimestamp", "labels", "annotations", "finalizers"];

const sharedValue = (bytes: Buffer, start: number, end: number): unknown =>
  freezeParsed(parsedValue(bytes, start, end));
