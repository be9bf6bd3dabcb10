import { groupKindKey, type KeyLike, type Kind, type KubeObject } from "@kubewright/apimachinery";
import type { CachedReader, GetOptions, ListOptions, Reader } from "../contract/reader.ts";
import type { CachedReadWriter, ReadWriter, Writer } from "../contract/writer.ts";
import { readsOf, writesAround } from "./around-writes.ts";

/** Kinds that {@link withReader} does not read with the reader. @see controller-runtime pkg/client CacheOptions */
export interface WithReaderOptions {
  /** Kinds that are read with the client itself, in any version; for example Secrets that must not be cached. Default: none. */
  readonly uncached?: readonly Pick<Kind, "group" | "kind">[] | undefined;
}

/**
 * Combines a reader and a writer: usually a cache and a client of the API server. The cache shows a write only when its watch delivers it;
 * `caughtUp` waits for that. Kinds in `uncached` are read with the client, and always count as caught up.
 *
 * @see controller-runtime pkg/client CacheOptions
 */
export function withReader(client: ReadWriter, reader: CachedReader, options: WithReaderOptions): CachedReadWriter;
export function withReader(client: ReadWriter, reader: Reader, options: WithReaderOptions): ReadWriter;
export function withReader(writer: Writer, reader: CachedReader): CachedReadWriter;
export function withReader(writer: Writer, reader: Reader): ReadWriter;
export function withReader(
  writer: Writer | ReadWriter,
  reader: Reader | CachedReader,
  options: WithReaderOptions = {},
): ReadWriter | CachedReadWriter {
  const { uncached = [] } = options;
  const reads = readsOf(reader);
  const chosen = uncached.length > 0 && "get" in writer ? choosing(reads, writer, uncached) : reads;
  return { ...chosen, ...writesAround(writer, (call, next) => next(call)) };
}

function choosing(
  cached: Reader | CachedReader,
  live: Reader,
  uncached: readonly Pick<Kind, "group" | "kind">[],
): Reader | CachedReader {
  const keys = new Set(uncached.map(groupKindKey));
  const isUncached = (kind: Kind): boolean => keys.has(groupKindKey(kind));
  const readerOf = (kind: Kind): Reader => (isUncached(kind) ? live : cached);
  const reads: Reader = {
    get: <T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions) =>
      readerOf(kind).get(kind, key, options),
    list: <T extends KubeObject>(kind: Kind<T>, options?: ListOptions) => readerOf(kind).list(kind, options),
  };
  if (!("caughtUp" in cached)) return reads;
  return {
    ...reads,
    caughtUp: async (kind, written, options) => isUncached(kind) || cached.caughtUp(kind, written, options),
  };
}
