import type { CachedReader, CachedReadWriter } from "../contract/cached-reader.ts";
import type { Reader } from "../contract/reader.ts";
import type { ReadWriter, Writer } from "../contract/writer.ts";

/**
 * Reads with one, writes with the other: usually from a cache, to the API server. Remember that the cache learns of a write only
 * when its watch does; `caughtUp` waits for that.
 *
 * @see controller-runtime pkg/client CacheOptions.Reader
 */
export function withReader(writer: Writer, reader: CachedReader): CachedReadWriter;
export function withReader(writer: Writer, reader: Reader): ReadWriter;
export function withReader(writer: Writer, reader: Reader | CachedReader): ReadWriter | CachedReadWriter {
  const client: ReadWriter = {
    get: (kind, key, options) => reader.get(kind, key, options),
    list: (kind, options) => reader.list(kind, options),
    create: (kind, object, options) => writer.create(kind, object, options),
    update: (kind, object, options) => writer.update(kind, object, options),
    patch: (kind, target, patch, options) => writer.patch(kind, target, patch, options),
    apply: (kind, configuration, options) => writer.apply(kind, configuration, options),
    delete: (kind, target, options) => writer.delete(kind, target, options),
    deleteCollection: (kind, options) => writer.deleteCollection(kind, options),
    status: writer.status,
    subResource: (name) => writer.subResource(name),
  };
  if (!("caughtUp" in reader)) return client;
  return { ...client, caughtUp: (kind, written, options) => reader.caughtUp(kind, written, options) };
}
