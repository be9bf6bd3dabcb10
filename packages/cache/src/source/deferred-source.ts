import {
  apiVersionOf,
  JsonMembers,
  type Kind,
  type KubeObject,
  type ListMeta,
  parseJsonNumbers,
  withIntegersOf,
} from "@kubewright/apimachinery";
import { decodeWatchEvent, type RawWatchEvent } from "@kubewright/client";
import type { KeptManagedFields } from "../body/managed-fields.ts";
import { ObjectDecoder, type TypeOfItems } from "../body/object-decoder.ts";
import { textAt } from "../body/parsed-value.ts";
import type { StoredObject } from "../body/previous-version.ts";
import { stripManagedFields } from "../body/strip-managed-fields.ts";
import type { ListPage, SourceEvent } from "./lister-watcher.ts";

const openBracket = 0x5b;

/** Decodes the bytes of lists and watches into objects whose members are parsed when they are first read. */
export class DeferredSource<T extends KubeObject> {
  readonly #decoder: ObjectDecoder;
  readonly #type: TypeOfItems;
  readonly #strip: (object: T) => T;

  /** @param stored and `freezes`: see {@link ObjectDecoder} */
  constructor(kind: Kind<T>, managedFields: KeptManagedFields, stored?: StoredObject, freezes?: boolean) {
    this.#decoder = new ObjectDecoder(managedFields, stored, freezes);
    this.#type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    this.#strip = managedFields === "all" ? (object) => object : stripManagedFields<T>(managedFields?.of);
  }

  /** Decodes events. If one fails, the events before it are returned together with its error. */
  events(raw: readonly RawWatchEvent[]): DecodedEvents<T> {
    const events: SourceEvent<T>[] = [];
    try {
      for (const event of raw) events.push(this.event(event));
    } catch (error) {
      return { events, failure: { error } };
    }
    return { events };
  }

  /** @throws {StatusError} for an ERROR event; {Error} if the object is not JSON */
  event(raw: RawWatchEvent): SourceEvent<T> {
    const { type, object: bytes } = raw;
    if (type === "BOOKMARK") return decodeWatchEvent<T>(raw);
    const object = this.#decoder.decode(bytes, 0);
    // White space or broken text may follow the object. The parser for whole events handles both.
    if (object === undefined || this.#decoder.end !== bytes.length) return decodeWatchEvent<T>(raw);
    return { type, object: object as T };
  }

  /** Decodes a page of a list. @throws {SyntaxError} if it is not JSON */
  page(body: Buffer): ListPage<T> {
    const scanned = this.#scanned(body);
    if (scanned) return scanned;
    const list: unknown = parseJsonNumbers(body.toString());
    if (typeof list !== "object" || list === null)
      throw new Error(`the response to a list request is ${String(list)}, not an object`);
    return this.parsed(list as ParsedList<T>);
  }

  /** Makes a page from a parsed list. */
  parsed({ metadata, items, ...type }: ParsedList<T>): ListPage<T> {
    if (items && !Array.isArray(items)) throw new Error("the items of the response to a list request are not an array");
    const typed = (item: T): T => (item.kind ? item : withIntegersOf(item, { ...this.#type, ...item }));
    // A non-object is passed on without type; the reflector leaves it out.
    const made = (item: T): T => (typeof item === "object" && item !== null ? this.#strip(typed(item)) : item);
    return { ...type, metadata: metadata ?? {}, items: (items ?? []).map(made) };
  }

  #scanned(body: Buffer): ListPage<T> | undefined {
    const page: { -readonly [M in keyof ListPage<T>]?: ListPage<T>[M] } = {};
    const members = new JsonMembers(body, 0);
    while (members.next()) {
      const name = textAt(body, members.nameStart, members.nameEnd);
      if (name === "items") {
        if (body[members.valueStart] !== openBracket) return undefined;
        const items = this.#items(body, members);
        if (!items) return undefined;
        page.items = items;
        continue;
      }
      members.skip();
      if (members.valueEnd < 0) return undefined;
      const value = (): unknown => JSON.parse(textAt(body, members.valueStart, members.valueEnd));
      if (name === "metadata") page.metadata = value() as ListMeta;
      else if (name === "kind") page.kind = value() as string;
      else if (name === "apiVersion") page.apiVersion = value() as string;
    }
    if (members.end < 0 || !page.items || body.subarray(members.end).toString().trim() !== "") return undefined;
    return { ...page, metadata: page.metadata ?? {}, items: page.items };
  }

  #items(body: Buffer, members: JsonMembers): T[] | undefined {
    const items: T[] = [];
    const elements = new JsonMembers(body, members.valueStart);
    while (elements.next()) {
      const object = this.#decoder.decode(body, elements.valueStart, this.#type);
      if (!object) return undefined;
      items.push(object as T);
      elements.skipTo(this.#decoder.end);
    }
    members.skipTo(elements.end);
    return items;
  }
}

export interface DecodedEvents<T> {
  readonly events: readonly SourceEvent<T>[];
  readonly failure?: { readonly error: unknown };
}

/** A list as it is sent on the wire. */
export interface ParsedList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ListMeta;
  readonly items: readonly T[] | null;
}
