import { apiVersionOf } from "@kubewright/apimachinery";
import { encodeMessage, envelopeHead, envelopeTail, fieldHead } from "@kubewright/codec";
import { listMetaSchema } from "@kubewright/codec/schema";
import type { ServedResource } from "../../registry/resource.ts";
import type { ListResponse } from "./list-response.ts";
import { objectMessage } from "./object-protobuf.ts";

const chunkBytes = 64 * 1024;

/** The protobuf encoding of a list, assembled from its objects' messages. */
export class ProtobufListBody {
  /** Length of the whole encoding in bytes. */
  readonly length: number;
  readonly #head: Buffer;
  readonly #items: readonly Buffer[];

  constructor(resource: ServedResource, { items, metadata }: ListResponse) {
    const meta = encodeMessage(metadata, listMetaSchema());
    const metaField = Buffer.concat([fieldHead(1, meta.length), meta]);
    this.#items = items.map((item) => objectMessage(item, resource));
    let bytes = metaField.length;
    for (const { length } of this.#items) bytes += itemHead(length).length + length;
    const head = envelopeHead(apiVersionOf(resource), resource.listKind, bytes);
    this.#head = Buffer.concat([head, metaField]);
    this.length = head.length + bytes + envelopeTail.length;
  }

  /** Yields the encoding in chunks of about 64 KiB. */
  *chunks(): Generator<Buffer> {
    let pieces = [this.#head];
    let size = this.#head.length;
    for (const item of this.#items) {
      if (size >= chunkBytes) {
        yield Buffer.concat(pieces, size);
        pieces = [];
        size = 0;
      }
      const head = itemHead(item.length);
      pieces.push(head, item);
      size += head.length + item.length;
    }
    pieces.push(envelopeTail);
    yield Buffer.concat(pieces, size + envelopeTail.length);
  }

  whole(): Buffer {
    return Buffer.concat([...this.chunks()], this.length);
  }
}

const heads = new Map<number, Buffer>();
const maxHeads = 4_096;

/** Returns the tag and length that precede an item. They are cached, because objects of one kind have only a few different sizes. */
function itemHead(length: number): Buffer {
  let head = heads.get(length);
  if (!head) {
    if (heads.size >= maxHeads) heads.clear();
    head = fieldHead(2, length);
    heads.set(length, head);
  }
  return head;
}
