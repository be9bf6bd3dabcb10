import { JsonMembers, type ObjectKey } from "@kubewright/apimachinery";
import { holdTexts, lengthOf } from "./deferred-body.ts";
import { endOfFingerprint, type Fingerprint, fingerprintOf } from "./fingerprint.ts";
import { deepFreeze } from "./freeze.ts";
import { type KeptManagedFields, ManagedFieldsCutter } from "./managed-fields.ts";
import { isName, MemberTable } from "./member-table.ts";
import { type ObjectLayout, ObjectLayouts } from "./object-layout.ts";
import { isPlainString, parsedValue } from "./parsed-value.ts";
import type { PreviousVersion } from "./previous-version.ts";
import { SharedParts } from "./shared-parts.ts";

const [openBrace, openBracket, quote] = [0x7b, 0x5b, 0x22];
const nameKey = Buffer.from("name");
const namespaceKey = Buffer.from("namespace");
const labelsKey = Buffer.from("labels");
/** Shorter values are parsed at once: keeping them as text would cost more. */
const leastDeferred = 32;

/** Makes an object's metadata of its bytes, without the `managedFields` that are not to be kept. */
export class MetadataDecoder {
  readonly #members = new MemberTable();
  readonly #previous: PreviousVersion;
  readonly #cutter: ManagedFieldsCutter;
  readonly #layouts = new ObjectLayouts();
  /** What the objects of a kind have in common, by the member's name. */
  readonly #shared = new Map<string, SharedParts>(sharedMembers.map((name) => [name, new SharedParts(sharedValue)]));
  readonly #namespaces = new SharedParts(parsedValue);
  #layout: ObjectLayout | undefined;
  #name: string | undefined;
  #namespace: string | undefined;
  #key: ObjectKey | undefined;
  #hasSameLabels = false;
  #fingerprint: Fingerprint = 0;
  /** Name and namespace have been seen, or are such that no key is made of them here. */
  #isKeySettled = false;

  constructor(managedFields: KeptManagedFields, previous: PreviousVersion) {
    this.#cutter = new ManagedFieldsCutter(managedFields);
    this.#previous = previous;
  }

  /** The key of the object that was looked at; `undefined` if it can only be told from its metadata. */
  get key(): ObjectKey | undefined {
    return this.#key;
  }

  /** The fingerprint of the `managedFields` that were left out, for the next version. */
  get cut(): Fingerprint {
    return this.#fingerprint;
  }

  /** Looks at the metadata that begins at `start`. Where it ends, or -1 if it is not for this. */
  scan(bytes: Buffer, start: number): number {
    const found = this.#members;
    found.clear();
    this.#previous.forget();
    this.#name = undefined;
    this.#namespace = undefined;
    this.#key = undefined;
    this.#isKeySettled = false;
    this.#hasSameLabels = false;
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
    const found = this.#members;
    if (this.#name !== undefined) this.#settleKey();
    if (this.#cutter.mayCut(bytes, members)) {
      if (this.#cutter.cutsAll) this.#cut(bytes, members);
      else {
        members.skip();
        if (!this.#cutter.cuts(bytes, members)) found.add(members, isLong(members));
      }
      return;
    }
    // Labels are looked at by nearly everybody.
    if (isName(bytes, members.nameStart, members.nameEnd, labelsKey)) {
      const end = this.#previous.endOfLabels(bytes, members.valueStart);
      if (end < 0) members.skip();
      else members.skipTo(end);
      found.add(members, false);
      this.#hasSameLabels = end >= 0;
      return;
    }
    const { deferred } = found;
    const same = this.#previous.sameInMetadata(deferred, bytes, members.valueStart);
    if (same === undefined) members.skip();
    else members.skipTo(members.valueStart + lengthOf(same));
    found.add(members, isLong(members), same, this.#previous.keepsInMetadata(deferred));
  }

  /**
   * Passes over what nobody will see. Where it has the length and the checksum of what was found to be JSON before, that it is JSON
   * is sure enough: nothing is made of it.
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

  /** Whatever was compared was another object's. */
  #giveUpKey(): void {
    this.#isKeySettled = true;
    this.#key = undefined;
    this.#previous.forget();
    this.#members.forgetWhatIsSame();
    this.#hasSameLabels = false;
  }

  /** The metadata that was looked at. */
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
    if (layout.deferred > 0) holdTexts(metadata, this.#members.textsOf(bytes));
    return metadata;
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
    return shared ? shared.of(bytes, start, end) : parsedValue(bytes, start, end);
  }
}

export const isLong = ({ valueStart, valueEnd }: JsonMembers): boolean => valueEnd - valueStart >= leastDeferred;

/** The members that many objects have the same of, and a few by which they differ. */
const sharedMembers = ["generateName", "creationTimestamp", "labels", "annotations", "finalizers"];

const sharedValue = (bytes: Buffer, start: number, end: number): unknown => deepFreeze(parsedValue(bytes, start, end));
