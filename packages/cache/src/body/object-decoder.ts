import { JsonMembers } from "@kubewright/apimachinery";
import { packText } from "./deferred-body.ts";
import type { KeptManagedFields } from "./managed-fields.ts";
import { isName, MemberTable } from "./member-table.ts";
import { MetadataDecoder, parsed } from "./metadata-decoder.ts";
import { type Deferral, ObjectLayouts } from "./object-layout.ts";
import { SharedParts } from "./shared-parts.ts";

const [openBrace, openBracket] = [0x7b, 0x5b];
/** Shorter values are parsed at once: keeping them as text would cost more. */
const leastDeferred = 32;
const metadata = Buffer.from("metadata");

/** API version and kind, for objects that do not say theirs, as items of lists do not. */
export interface TypeOfItems {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Makes objects of bytes: type and metadata are parsed, the rest when somebody reads it. Nobody can tell them from what
 * `JSON.parse` makes. What it is not sure of, it leaves to that.
 */
export class ObjectDecoder {
  readonly #layouts = new ObjectLayouts();
  readonly #members = new MemberTable();
  readonly #metadata: MetadataDecoder;
  readonly #apiVersion = new SharedParts(parsed);
  readonly #kind = new SharedParts(parsed);
  #end = -1;

  constructor(managedFields: KeptManagedFields) {
    this.#metadata = new MetadataDecoder(managedFields);
  }

  /** Where the latest object ends; -1 if it was for `parseJson`. */
  get end(): number {
    return this.#end;
  }

  /** The object that begins at `start`; `undefined` if it is for `parseJson`. */
  decode(bytes: Buffer, start: number, type?: TypeOfItems): object | undefined {
    this.#end = -1;
    const end = this.#scan(bytes, start);
    const layout = end < 0 ? undefined : this.#layouts.find(bytes, this.#members, defers);
    if (!layout?.hasMetadata) return undefined;
    this.#end = end;
    const { names, isDeferred } = layout;
    const values: unknown[] = [];
    const ranges: number[] = [];
    for (let i = 0; i < names.length; i++) {
      const valueStart = this.#members.starts[i] as number;
      const valueEnd = this.#members.ends[i] as number;
      if (isDeferred[i]) ranges.push(valueStart, valueEnd);
      values.push(isDeferred[i] ? undefined : this.#value(bytes, names[i] as string, valueStart, valueEnd));
    }
    const text = ranges.length > 0 ? packText(bytes, ranges) : undefined;
    return layout.create(values, text, layout.hasKind ? undefined : type);
  }

  /** Finds the members. Where the object ends, or -1. */
  #scan(bytes: Buffer, start: number): number {
    const found = this.#members;
    found.clear();
    let hasMetadata = false;
    const members = new JsonMembers(bytes, start);
    while (members.next()) {
      if (isName(bytes, members.nameStart, members.nameEnd, metadata)) {
        if (hasMetadata || bytes[members.valueStart] !== openBrace) return -1;
        hasMetadata = true;
        members.skipTo(this.#metadata.scan(bytes, members.valueStart));
      } else members.skip();
      found.add(members);
    }
    return members.end;
  }

  #value(bytes: Buffer, name: string, start: number, end: number): unknown {
    if (name === "metadata") return this.#metadata.decode(bytes);
    if (name === "apiVersion") return this.#apiVersion.of(bytes, start, end);
    if (name === "kind") return this.#kind.of(bytes, start, end);
    return parsed(bytes, start, end);
  }
}

const defers: Deferral = (bytes, members, index) => {
  const start = members.starts[index] as number;
  if ((members.ends[index] as number) - start < leastDeferred) return false;
  const isComposite = bytes[start] === openBrace || bytes[start] === openBracket;
  return isComposite && !members.hasName(bytes, index, metadata);
};
