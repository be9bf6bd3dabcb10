import { isMetadataOnly, type Kind, type KubeObject } from "@kubewright/apimachinery";
import {
  Client,
  decodeWatchEvent,
  type RawWatchEvent,
  type SelectionOptions,
  type WatchOptions,
} from "@kubewright/client";
import { DeferredSource } from "./deferred-source.ts";
import type { ListerWatcher, SourceEvent } from "./lister-watcher.ts";

/**
 * The part of a client that informers use. The optional methods are used if present: `listRaw` and `watchBatches` make large collections
 * cheaper, `watch` is required for `metadataOnly` kinds, and `mapper` for kinds of unknown scope in a cache that is limited to some
 * namespaces.
 */
export type ListWatchClient = Pick<Client, "list" | "watchRaw"> &
  Partial<Pick<Client, "listRaw" | "mapper" | "watch" | "watchBatches">>;

/** Objects that {@link clientListWatch} selects, and how it decodes their events. */
export interface ClientListWatchOptions<T extends KubeObject> extends SelectionOptions {
  /** Decodes one watch event. Default: `JSON.parse`, or deferred decoding if the informer requests it. */
  readonly decode?: ((event: RawWatchEvent) => SourceEvent<T>) | undefined;
  /** True if the server supports streaming lists. If it does not, the reflector falls back to listing. Default true. */
  readonly supportsWatchList?: boolean | undefined;
}

/**
 * Returns a source that lists and watches the objects of a kind through a client. For a `metadataOnly` kind the server sends only
 * metadata.
 *
 * @throws {Error} if the kind is `metadataOnly` and the client has no `watch`
 * @see client-go tools/cache NewListWatchFromClient, metadata/metadatainformer
 */
export function clientListWatch<T extends KubeObject>(
  given: ListWatchClient,
  kind: Kind<T>,
  options: ClientListWatchOptions<T> = {},
): ListerWatcher<T> {
  const { decode, supportsWatchList = true, ...selection } = options;
  const isPartial = isMetadataOnly(kind);
  const putOff = new PutOff();
  const onRetry = (error: unknown): void => {
    putOff.by = error;
  };
  const client = given instanceof Client ? given.with({ onRetry }) : given;
  if (isPartial && !client.watch) throw new Error("metadataOnly kinds need a client with `watch`; pass a Client");
  const source: ListerWatcher<T> = {
    supportsWatchList,
    get putOff() {
      return putOff.by;
    },
    async list(request) {
      const items = await putOff.until(client.list(kind, { ...selection, ...request }));
      return { items, metadata: items.metadata };
    },
    async *watch(request) {
      const asked = { ...selection, ...request };
      // The client gives metadata objects the type of the kind that they belong to.
      if (isPartial && client.watch) return yield* putOff.untilFirst(client.watch<T>(kind, asked));
      for await (const events of batches(client, kind, asked, putOff))
        for (const event of events) yield decode ? decode(event) : decodeWatchEvent<T>(event);
    },
    async currentVersion(signal) {
      return (await putOff.until(client.list(kind, { ...selection, limit: 1, signal }))).metadata.resourceVersion;
    },
  };
  if (decode || isPartial) return source;
  return {
    ...source,
    get putOff() {
      return putOff.by;
    },
    deferring: (kept, stored, freezes) =>
      deferred(client, kind, source, selection, new DeferredSource(kind, kept, stored, freezes), putOff),
  };
}

/** Remembers the error for which the server deferred the current request, while the request is retried. */
class PutOff {
  by: unknown;

  async until<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } finally {
      this.by = undefined;
    }
  }

  async *untilFirst<E>(events: AsyncIterable<E>): AsyncGenerator<E, void, undefined> {
    try {
      for await (const event of events) {
        this.by = undefined;
        yield event;
      }
    } finally {
      this.by = undefined;
    }
  }
}

/** Returns the same source, with objects that are parsed when they are read. */
function deferred<T extends KubeObject>(
  client: ListWatchClient,
  kind: Kind<T>,
  source: ListerWatcher<T>,
  selection: SelectionOptions,
  decoding: DeferredSource<T>,
  putOff: PutOff,
): ListerWatcher<T> {
  return {
    ...source,
    get putOff() {
      return putOff.by;
    },
    async list(request) {
      const options = { ...selection, ...request };
      if (client.listRaw) return decoding.page(await putOff.until(client.listRaw(kind, options)));
      const items = await putOff.until(client.list(kind, options));
      return decoding.parsed({ items, metadata: items.metadata });
    },
    async *watch(request) {
      for await (const raw of batches(client, kind, { ...selection, ...request }, putOff)) {
        const { events, failure } = decoding.events(raw);
        if (events.length > 0) yield events;
        if (failure) throw failure.error;
      }
    },
  };
}

function batches(
  client: ListWatchClient,
  kind: Kind,
  options: WatchOptions,
  putOff: PutOff,
): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
  if (client.watchBatches) return putOff.untilFirst(client.watchBatches(kind, options));
  return oneByOne(client.watchRaw(kind, options));
}

async function* oneByOne<E>(events: AsyncIterable<E>): AsyncGenerator<readonly E[], void, undefined> {
  for await (const event of events) yield [event];
}
