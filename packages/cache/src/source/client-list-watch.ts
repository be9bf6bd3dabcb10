import type { Kind, KubeObject } from "@kubewright/apimachinery";
import {
  type Client,
  decodeWatchEvent,
  type RawWatchEvent,
  type SelectionOptions,
  type WatchOptions,
} from "@kubewright/client";
import { isMetadataOnly } from "../informer/metadata-only.ts";
import { DeferredSource } from "./deferred-source.ts";
import type { ListerWatcher, SourceEvent } from "./lister-watcher.ts";
import { type MetadataClient, metadataListWatch } from "./metadata-list-watch.ts";

/**
 * The part of a client that informers need: all of it only where metadata alone is wanted, lists as bytes and events in batches
 * where there are many objects.
 */
export type ListWatchClient = Pick<Client, "list" | "watchRaw"> &
  Partial<Pick<Client, "listRaw" | "watchBatches">> &
  Partial<MetadataClient>;

export interface ClientListWatchOptions<T extends KubeObject> extends SelectionOptions {
  /** Makes an event of the bytes that came. Default: they are parsed. */
  readonly decode?: ((event: RawWatchEvent) => SourceEvent<T>) | undefined;
  /** Whether the server knows streaming lists; where it does not, it is found out and listed instead. Default true. */
  readonly supportsWatchList?: boolean | undefined;
}

/** The objects of a kind, as a client gets them from an API server. */
export function clientListWatch<T extends KubeObject>(
  client: ListWatchClient,
  kind: Kind<T>,
  options: ClientListWatchOptions<T> = {},
): ListerWatcher<T> {
  const { decode, supportsWatchList = true, ...selection } = options;
  if (isMetadataOnly(kind)) {
    const { connection, mapper } = client;
    if (!connection || !mapper)
      throw new Error("the metadata of objects alone can only be asked for with a whole client");
    // What comes is what the kind says: see metadataOnly.
    const metadata = metadataListWatch({ connection, mapper }, kind, selection) as ListerWatcher<KubeObject>;
    return { ...metadata, supportsWatchList } as ListerWatcher<KubeObject> as ListerWatcher<T>;
  }
  const source: ListerWatcher<T> = {
    supportsWatchList,
    async list(request) {
      const items = await client.list(kind, { ...selection, ...request });
      return { items, metadata: items.metadata };
    },
    async *watch(request) {
      for await (const events of batches(client, kind, { ...selection, ...request }))
        for (const event of events) yield decode ? decode(event) : decodeWatchEvent<T>(event);
    },
    async currentVersion(signal) {
      return (await client.list(kind, { ...selection, limit: 1, signal })).metadata.resourceVersion;
    },
  };
  if (decode) return source;
  return {
    ...source,
    deferring: (kept, stored) => deferred(client, kind, source, selection, new DeferredSource(kind, kept, stored)),
  };
}

function deferred<T extends KubeObject>(
  client: ListWatchClient,
  kind: Kind<T>,
  source: ListerWatcher<T>,
  selection: SelectionOptions,
  made: DeferredSource<T>,
): ListerWatcher<T> {
  return {
    ...source,
    async list(request) {
      const options = { ...selection, ...request };
      if (client.listRaw) return made.page(await client.listRaw(kind, options));
      const items = await client.list(kind, options);
      return made.parsed({ items, metadata: items.metadata });
    },
    async *watch(request) {
      for await (const raw of batches(client, kind, { ...selection, ...request })) {
        const { events, failure } = made.events(raw);
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
