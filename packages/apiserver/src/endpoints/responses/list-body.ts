import { stringifyJson } from "@kubewright/apimachinery";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { ListResponse } from "./list-response.ts";
import { objectBody } from "./object-json.ts";

const chunkBytes = 64 * 1024;
const openBrace = 0x7b;
const comma = 0x2c;

/**
 * The JSON of a list, assembled from the encoded objects. As in upstream, custom resources in the list include
 * `apiVersion` and `kind`, built-in resources do not. If memory permits, the result is cached for further requests for
 * the same items.
 */
export class ListBody {
  /** Length of the whole JSON in bytes. */
  readonly length: number;
  readonly #head: Buffer;
  readonly #items: JoinedItems;

  constructor(resource: ServedResource, { items, metadata }: ListResponse) {
    const custom = resource.origin === "custom";
    const meta = custom ? { continue: "", ...metadata } : metadata;
    const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},"metadata":${JSON.stringify(meta)},"items":[`;
    this.#head = Buffer.from(head);
    this.#items = joinedItems(resource, items);
    this.length = this.#head.length + this.#items.length + tail.length;
  }

  /** Yields the JSON in chunks of about 64 KiB. */
  *chunks(): Generator<Buffer> {
    yield this.#head;
    yield* this.#items.chunks();
    yield tail;
  }

  /** Returns the whole JSON. */
  whole(): Buffer {
    return Buffer.concat([...this.chunks()], this.length);
  }
}

const known = new WeakMap<readonly ReadonlyObject[], JoinedItems>();

/**
 * Returns the joined items of a list, from a cache if the array is the same as before. A store returns the same array until an object
 * changes.
 */
function joinedItems(resource: ServedResource, items: readonly ReadonlyObject[]): JoinedItems {
  const before = known.get(items);
  if (before?.resource === resource) return before;
  const joined = new JoinedItems(resource, items);
  known.set(items, joined);
  return joined;
}

class JoinedItems {
  readonly resource: ServedResource;
  /** Length of the joined items in bytes. */
  readonly length: number;
  readonly #items: readonly ReadonlyObject[];
  readonly #type: Buffer;
  #wasRequested = false;
  #kept: WeakRef<readonly Buffer[]> | undefined;

  constructor(resource: ServedResource, items: readonly ReadonlyObject[]) {
    this.resource = resource;
    this.#items = items;
    this.#type = Buffer.from(
      `{"apiVersion":${JSON.stringify(apiVersionOf(resource))},"kind":${JSON.stringify(resource.kind)},`,
    );
    let length = Math.max(items.length - 1, 0);
    for (const item of items) {
      const { body, skip } = this.#part(item);
      length += body.length - skip - 1 + (skip > 0 ? 1 : 0);
    }
    this.length = length;
  }

  chunks(): Iterable<Buffer> {
    const kept = this.#kept?.deref();
    if (kept) return kept;
    if (!this.#wasRequested) {
      this.#wasRequested = true;
      return this.#make();
    }
    const chunks = [...this.#make()];
    this.#kept = new WeakRef(chunks);
    return chunks;
  }

  *#make(): Generator<Buffer> {
    let chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, this.length));
    let at = 0;
    let isFirst = true;
    for (const item of this.#items) {
      const { body, skip } = this.#part(item);
      const needed = body.length - skip + 1; // the object without its newline, plus a brace and a comma
      if (at + needed > chunk.length) {
        if (at > 0) yield chunk.subarray(0, at);
        chunk = Buffer.allocUnsafeSlow(Math.max(chunkBytes, needed));
        at = 0;
      }
      if (!isFirst) chunk[at++] = comma;
      if (skip > 0) chunk[at++] = openBrace;
      at += body.copy(chunk, at, skip, body.length - 1);
      isFirst = false;
    }
    if (at > 0) yield chunk.subarray(0, at);
  }

  /**
   * Returns the encoded object, and the number of bytes to skip at its start. The caller writes an opening brace in
   * their place.
   */
  #part(item: ReadonlyObject): { readonly body: Buffer; readonly skip: number } {
    const body = objectBody(item);
    if (this.resource.origin === "custom") return { body, skip: 0 };
    return startsWith(body, this.#type) ? { body, skip: this.#type.length } : { body: untyped(item), skip: 0 };
  }
}

const apiVersionOf = ({ group, version }: ServedResource): string => (group === "" ? version : `${group}/${version}`);

const tail = Buffer.from("]}\n");

function startsWith(body: Buffer, prefix: Buffer): boolean {
  for (let at = 0; at < prefix.length; at++) if (body[at] !== prefix[at]) return false;
  return true;
}

/** Encodes an object without `apiVersion` and `kind`, for objects whose JSON does not begin with these fields. */
function untyped({ kind: _kind, apiVersion: _apiVersion, ...rest }: ReadonlyObject): Buffer {
  return Buffer.from(`${stringifyJson(rest)}\n`);
}
