import { stringifyJson } from "@kubewright/apimachinery";
import { gvkOfResource, type ReadonlyObject, type ServedResource } from "../registry/resource.ts";
import type { AnsweredList } from "./answered-list.ts";
import { objectBody } from "./object-json.ts";

const chunkBytes = 64 * 1024;
const openBrace = 0x7b;
const comma = 0x2c;

/**
 * The JSON of a list, put together from the bytes of its objects. Items of custom resources say their kind, those of built-in ones do
 * not.
 */
export class ListBody {
  /** Of the whole text. */
  readonly length: number;
  readonly #head: Buffer;
  readonly #items: readonly Buffer[];
  /** How many bytes each item leaves out at its start; a brace takes their place. */
  readonly #skipped: readonly number[];

  constructor(resource: ServedResource, { items, metadata }: AnsweredList) {
    const custom = resource.origin === "custom";
    const { group, version, kind } = gvkOfResource(resource);
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const meta = custom ? { continue: "", ...metadata } : metadata;
    const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(meta)},"items":[`;
    const type = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`);
    const bodies = new Array<Buffer>(items.length);
    const skipped = new Array<number>(items.length);
    this.#head = Buffer.from(head);
    let length = this.#head.length + Math.max(items.length - 1, 0) + tail.length;
    for (const [index, item] of items.entries()) {
      let body = objectBody(item);
      let skip = 0;
      if (!custom) {
        if (startsWith(body, type)) skip = type.length;
        else body = untyped(item);
      }
      bodies[index] = body;
      skipped[index] = skip;
      length += body.length - 1 - skip + (skip > 0 ? 1 : 0);
    }
    this.#items = bodies;
    this.#skipped = skipped;
    this.length = length;
  }

  /** The text in pieces of some 64 KiB. */
  *chunks(size: number = chunkBytes): Generator<Buffer> {
    let chunk = Buffer.allocUnsafeSlow(Math.max(size, this.#head.length));
    let at = this.#head.copy(chunk);
    for (const [index, item] of this.#items.entries()) {
      const skip = this.#skipped[index] ?? 0;
      const needed = item.length - skip + 1; // its newline is left out, a brace and a comma are put in
      if (at + needed > chunk.length) {
        yield chunk.subarray(0, at);
        chunk = Buffer.allocUnsafeSlow(Math.max(size, needed));
        at = 0;
      }
      if (index > 0) chunk[at++] = comma;
      if (skip > 0) chunk[at++] = openBrace;
      at += item.copy(chunk, at, skip, item.length - 1);
    }
    yield chunk.subarray(0, at);
    yield tail;
  }

  /** The whole text. */
  whole(): Buffer {
    return Buffer.concat([...this.chunks()], this.length);
  }
}

const tail = Buffer.from("]}\n");

function startsWith(body: Buffer, prefix: Buffer): boolean {
  for (let at = 0; at < prefix.length; at++) if (body[at] !== prefix[at]) return false;
  return true;
}

/** Where an object does not begin with its type. */
function untyped({ kind: _kind, apiVersion: _apiVersion, ...rest }: ReadonlyObject): Buffer {
  return Buffer.from(`${stringifyJson(rest)}\n`);
}
