import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { type Client, decodeWatchEvent, type RawWatchEvent, type SelectionOptions } from "@kubewright/client";
import type { ListerWatcher, SourceEvent } from "./lister-watcher.ts";
import { type MetadataClient, metadataListWatch } from "./metadata-list-watch.ts";
import { isMetadataOnly } from "./metadata-only.ts";

/** The part of a client that informers need; all of it only where metadata alone is wanted. */
export type ListWatchClient = Pick<Client, "list" | "watchRaw"> & Partial<MetadataClient>;

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
  const { decode = decodeWatchEvent<T>, supportsWatchList = true, ...selection } = options;
  if (isMetadataOnly(kind)) {
    const { connection, mapper } = client;
    if (!connection || !mapper)
      throw new Error("the metadata of objects alone can only be asked for with a whole client");
    // What comes is what the kind says: see metadataOnly.
    const metadata = metadataListWatch({ connection, mapper }, kind, selection) as ListerWatcher<KubeObject>;
    return { ...metadata, supportsWatchList } as ListerWatcher<KubeObject> as ListerWatcher<T>;
  }
  return {
    supportsWatchList,
    async list(request) {
      const items = await client.list(kind, { ...selection, ...request });
      return { items, metadata: items.metadata };
    },
    async *watch(request) {
      for await (const event of client.watchRaw(kind, { ...selection, ...request })) yield decode(event);
    },
    async currentVersion(signal) {
      return (await client.list(kind, { ...selection, limit: 1, signal })).metadata.resourceVersion;
    },
  };
}
