import { JsonMembers } from "@kubewright/apimachinery";
import { deferMembers } from "./deferred-body.ts";
import { freezeParsed, jsonOf } from "./deferred-members.ts";
import type { KeptManagedFields } from "./managed-fields.ts";
import { MemberTable } from "./member-table.ts";
import { isLong, MetadataDecoder } from "./metadata-decoder.ts";
import { ObjectLayouts } from "./object-layout.ts";
import { noteKey } from "./object-notes.ts";
import { isName, parsedValue } from "./parsed-value.ts";
import { PreviousVersion, type StoredObject } from "./previous-version.ts";
import { SharedParts } from "./shared-parts.ts";

const [openBrace, openBracket] = [0x7b, 0x5b];
const metadataKey = Buffer.from("metadata");
const nothingStored: StoredObject = () => undefined;

/** API version and kind of a list's items, which do not contain their own. */
export interface TypeOfItems {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Decodes objects, parsing only the type and short metadata at once; other objects and arrays are parsed when they are first read. The
 * result is indistinguishable from that of `JSON.parse`. Unusual input (duplicate names, integers that a double cannot hold, names with
 * escapes) is left to the caller, who parses the object as a whole.
 */
export class ObjectDecoder {
  readonly #layouts = new ObjectLayouts();
  readonly #members = new MemberTable();
  readonly #previous: PreviousVersion;
  readonly #metadata: MetadataDecoder;
  readonly #freezes: boolean;
  readonly #apiVersion = new SharedParts(parsedValue);
  readonly #kind = new SharedParts(parsedValue);
  #end = -1;

  /**
   * @param stored looks up the stored version of an object; members with the same bytes are then taken from it
   * @param freezes whether to freeze objects, except those with `managedFields` that must still be removed
   */
  constructor(managedFields: KeptManagedFields, stored: StoredObject = nothingStored, freezes = false) {
    this.#previous = new PreviousVersion(stored);
    this.#metadata = new MetadataDecoder(managedFields, this.#previous, freezes);
    this.#freezes = freezes;
  }

  /** End of the object decoded last; -1 if it was left to the caller. */
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
    const end = this.#scan(bytes, start);
    const layout = end < 0 ? undefined : this.#layouts.find(bytes, this.#members);
    if (!layout?.hasMetadata) return undefined;
    this.#end = end;
    const { names, isDeferred } = layout;
    const values: unknown[] = [];
    for (let i = 0; i < names.length; i++) {
      const valueStart = this.#members.starts[i] as number;
      const valueEnd = this.#members.ends[i] as number;
      values.push(isDeferred[i] ? undefined : this.#value(bytes, names[i] as string, valueStart, valueEnd));
    }
    const object = layout.create(values, layout.hasKind ? undefined : type);
    if (layout.deferred > 0) deferMembers(object, this.#members.deferredOf(bytes));
    const { key, cut } = this.#metadata;
    if (key !== undefined) noteKey(object, key, cut);
    this.#previous.forget();
    return this.#metadata.isFrozen ? Object.freeze(object) : object;
  }

  /** Finds the members. Returns the end of the object, or -1 if it must be parsed as a whole. */
  #scan(bytes: Buffer, start: number): number {
    const found = this.#members;
    found.clear();
    let hasMetadata = false;
    const members = new JsonMembers(bytes, start);
    while (members.next()) {
      const first = bytes[members.valueStart];
      if (isName(bytes, members.nameStart, members.nameEnd, metadataKey)) {
        if (hasMetadata || first !== openBrace) return -1;
        hasMetadata = true;
        members.skipTo(this.#metadata.scan(bytes, members.valueStart));
        found.add(members, false);
      } else if (hasMetadata && (first === openBrace || first === openBracket)) {
        const { deferred } = found;
        const same = this.#previous.sameInBody(deferred, bytes, members.valueStart);
        if (same === undefined) members.skip();
        else members.skipTo(members.valueStart + jsonOf(same).length);
        found.add(members, isLong(members), same, this.#previous.keepsInBody(deferred));
      } else {
        members.skip();
        found.add(members, (first === openBrace || first === openBracket) && isLong(members));
      }
    }
    return members.end;
  }

  #value(bytes: Buffer, name: string, start: number, end: number): unknown {
    if (name === "metadata") return this.#metadata.decode(bytes);
    if (name === "apiVersion") return this.#apiVersion.of(bytes, start, end);
    if (name === "kind") return this.#kind.of(bytes, start, end);
    const value = parsedValue(bytes, start, end);
    return this.#freezes ? freezeParsed(value) : value;
  }
}
