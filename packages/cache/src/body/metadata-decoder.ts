import { JsonMembers } from "@kubewright/apimachinery";
import { deepFreeze } from "../freeze.ts";
import { type KeptManagedFields, ManagedFieldsCutter } from "./managed-fields.ts";
import { MemberTable } from "./member-table.ts";
import { type ObjectLayout, ObjectLayouts } from "./object-layout.ts";
import { SharedParts } from "./shared-parts.ts";

const [quote, backslash] = [0x22, 0x5c];
const neverDeferred = (): boolean => false;

/** Makes an object's metadata of its bytes, without the `managedFields` that are not to be kept. */
export class MetadataDecoder {
  readonly #cutter: ManagedFieldsCutter;
  readonly #layouts = new ObjectLayouts();
  readonly #members = new MemberTable();
  /** What the objects of a kind have in common, by the member's name. */
  readonly #shared = new Map<string, SharedParts>(sharedMembers.map((name) => [name, new SharedParts(sharedValue)]));
  #layout: ObjectLayout | undefined;

  constructor(managedFields: KeptManagedFields) {
    this.#cutter = new ManagedFieldsCutter(managedFields);
  }

  /** Looks at the metadata that begins at `start`. Where it ends, or -1 if it is not for this. */
  scan(bytes: Buffer, start: number): number {
    const found = this.#members;
    found.clear();
    const members = new JsonMembers(bytes, start);
    while (members.next()) {
      members.skip();
      if (!this.#cutter.cuts(bytes, members)) found.add(members);
    }
    if (members.end < 0) return -1;
    this.#layout = this.#layouts.find(bytes, found, neverDeferred);
    return this.#layout ? members.end : -1;
  }

  /** The metadata that was looked at. */
  decode(bytes: Buffer): object {
    const { names } = this.#layout as ObjectLayout;
    const metadata: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      metadata[name] = this.#value(bytes, name, this.#members.starts[i] as number, this.#members.ends[i] as number);
    }
    return metadata;
  }

  #value(bytes: Buffer, name: string, start: number, end: number): unknown {
    const shared = this.#shared.get(name);
    return shared ? shared.of(bytes, start, end) : parsed(bytes, start, end);
  }
}

/** The members that many objects have the same of, and a few by which they differ. */
const sharedMembers = ["namespace", "generateName", "labels", "annotations", "ownerReferences", "finalizers"];

const sharedValue = (bytes: Buffer, start: number, end: number): unknown => deepFreeze(parsed(bytes, start, end));

/** What JSON stands for. A string without escapes is what is between its quotes. */
export function parsed(bytes: Buffer, start: number, end: number): unknown {
  if (bytes[start] !== quote) return JSON.parse(bytes.toString("utf8", start, end));
  for (let at = start; at < end; at++)
    if (bytes[at] === backslash) return JSON.parse(bytes.toString("utf8", start, end));
  return bytes.toString("utf8", start + 1, end - 1);
}
