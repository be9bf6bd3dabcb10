import type { CachedReader, CachedReadWriter } from "../contract/cached-reader.ts";
import type { Reader } from "../contract/reader.ts";
import type { ReadWriter, Writer } from "../contract/writer.ts";
import { readsOf, writesAround } from "./around-writes.ts";

/**
 * Reads with one, writes with the other: usually from a cache, to the API server. The cache learns of a write only when its watch
 * does; `caughtUp` waits for that.
 *
 * @see controller-runtime pkg/client CacheOptions.Reader
 */
export function withReader(writer: Writer, reader: CachedReader): CachedReadWriter;
export function withReader(writer: Writer, reader: Reader): ReadWriter;
export function withReader(writer: Writer, reader: Reader | CachedReader): ReadWriter | CachedReadWriter {
  return { ...readsOf(reader), ...writesAround(writer, (call, next) => next(call)) };
}
