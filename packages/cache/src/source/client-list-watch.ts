import { isMetadataOnly, type Kind, type KubeObject } from "@kubewright/apimachinery";
import {
  type Client,
  decodeWatchEvent,
  type RawWatchEvent,
  type SelectionOptions,
  type WatchOptions,
} from "@kubewright/client";
import { DeferredSource } from "./deferred-source.ts";
import type { ListerWatcher, SourceEvent } from "./lister-watcher.ts";

/**
 * The part of a client that informers use. The optional methods are used where present: `listRaw` and `watchBatches` make large
 * collections cheaper, `watch` is needed for `metadataOnly` kinds, and `mapper` for kinds of unknown scope in a cache that is
 * limited to some namespaces.
 */
export type ListWatchClient = Pick<Client, "list" | "watchRaw"> &
  Partial<Pick<Client, "listRaw" | "mapper" | "watch" | "watchBatches">>;

/** Which objects {@link clientListWatch} asks for, and how their events are decoded. */
export interface ClientListWatchOptions<T extends KubeObject> extends SelectionOptions {
  /** Decodes one watch event. Default: `JSON.parse`, or deferred decoding where the informer asks for it. */
  readonly decode?: ((event: RawWatchEvent) => SourceEvent<T>) | undefined;
  /** Whether the server supports streaming lists. If it does not, the reflector falls back to listing by itself. Default true. */
  readonly supportsWatchList?: boolean | undefined;
}

/**
 * The objects of a kind, listed and watched through a client. For a `metadataOnly` kind the server sends only metadata.
 *
 * @throws {Error} if the kind is `metadataOnly` and the client has no `watch`
 * @see client-go tools/cache NewListWatchFromClient, metadata/metadatainformer
 */
export function clientListWatch<T extends KubeObject>(
  client: ListWatchClient,
  kind: Kind<T>,
  options: ClientListWatchOptions<T> = {},
): ListerWatcher<T> {
  const { decode, supportsWatchList = true, ...selection } = options;
  const isPartial = isMetadataOnly(kind);
  if (isPartial && !client.watch)
    throw new Error("the metadata of objects alone can only be asked for with a whole client");
  const source: ListerWatcher<T> = {
    supportsWatchList,
    async list(request) {
      const items = await client.list(kind, { ...selection, ...request });
      return { items, metadata: items.metadata };
    },
    async *watch(request) {
      const asked = { ...selection, ...request };
      // The client gives partial objects the type of the kind that they are part of.
      if (isPartial && client.watch) yield* client.watch<T>(kind, asked);
      else
        for await (const events of batches(client, kind, asked))
          for (const event of events) yield decode ? decode(event) : decodeWatchEvent<T>(event);
    },
    async currentVersion(signal) {
      return (await client.list(kind, { ...selection, limit: 1, signal })).metadata.resourceVersion;
    },
  };
  if (decode || isPartial) return source;
  return {
    ...source,
    deferring: (kept, stored, freezes) =>
      deferred(client, kind, source, selection, new DeferredSource(kind, kept, stored, freezes)),
  };
}

/** The same source, with objects that are parsed when read. */
function deferred<T extends KubeObject>(
  client: ListWatchClient,
  kind: Kind<T>,
  source: ListerWatcher<T>,
  selection: SelectionOptions,
  decoding: DeferredSource<T>,
): ListerWatcher<T> {
  return {
    ...source,
    async list(request) {
      const options = { ...selection, ...request };
      if (client.listRaw) return decoding.page(await client.listRaw(kind, options));
      const items = await client.list(kind, options);
      return decoding.parsed({ items, metadata: items.metadata });
    },
    async *watch(request) {
      for await (const raw of batches(client, kind, { ...selection, ...request })) {
        const { events, failure } = decoding.events(raw);
        if (events.length > 0) yield events;
        if (failure) throw failure.error;
      }
    },
  };
}

async function* batches(
  client: ListWatchClient,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
  if (client.watchBatches) yield* client.watchBatches(kind, options);
  else for await (const event of client.watchRaw(kind, options)) yield [event];
}
