import {
  apiVersionOf,
  isMetadataOnly,
  JsonMembers,
  type Kind,
  type KubeObject,
  type ListMeta,
  parseJsonNumbers,
  withIntegersOf,
} from "@kubewright/apimachinery";
import {
  Client,
  decodeWatchEvent,
  type RawWatchEvent,
  type SelectionOptions,
  type WatchOptions,
} from "@kubewright/client";
import { textAt } from "@kubewright/lazy-json";
import { type KeptManagedFields, stripManagedFields } from "../body/managed-fields.ts";
import { ObjectDecoder, type TypeOfItems } from "../body/object-decoder.ts";
import type { StoredObject } from "../body/previous-version.ts";
import type { ListerWatcher, ListPage, SourceEvent } from "./lister-watcher.ts";

/**
 * The client methods that informers use. The optional members are used if present: `listRaw` and `watchBatches` speed
 * up large collections, `watch` is required for `metadataOnly` kinds, and `mapper` is required if a cache is limited to
 * certain namespaces and the scope of a kind is unknown.
 */
export type ListWatchClient = Pick<Client, "list" | "watchRaw"> &
  Partial<Pick<Client, "listRaw" | "mapper" | "watch" | "watchBatches">>;

/** Options for {@link clientListWatch}: which objects to select, and how to decode them. */
export interface ClientListWatchOptions<T extends KubeObject> extends SelectionOptions {
  /** Decodes one watch event. Default: `JSON.parse`, or lazy decoding if the informer requests it. */
  readonly decode?: ((event: RawWatchEvent) => SourceEvent<T>) | undefined;
  /** True if the server supports streaming lists. Otherwise, the reflector lists instead. Default true. */
  readonly supportsWatchList?: boolean | undefined;
}

/**
 * Returns a source that lists and watches a kind's objects with a client. For a `metadataOnly` kind, the server sends only metadata.
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
  const retries = new RetryTracker();
  const onRetry = (error: unknown): void => {
    retries.error = error;
  };
  const client = given instanceof Client ? given.with({ onRetry }) : given;
  if (isPartial && !client.watch) throw new Error("metadataOnly kinds require a client with `watch`; pass a Client");
  const source: ListerWatcher<T> = {
    supportsWatchList,
    get retryError() {
      return retries.error;
    },
    async list(request) {
      const items = await retries.until(client.list(kind, { ...selection, ...request }));
      return { items, metadata: items.metadata };
    },
    async *watch(request) {
      const asked = { ...selection, ...request };
      // The client gives metadata objects the type of their original kind.
      if (isPartial && client.watch) return yield* retries.untilFirst(client.watch<T>(kind, asked));
      for await (const events of batches(client, kind, asked, retries))
        for (const event of events) yield decode ? decode(event) : decodeWatchEvent<T>(event);
    },
    async currentVersion(signal) {
      return (await retries.until(client.list(kind, { ...selection, limit: 1, signal }))).metadata.resourceVersion;
    },
  };
  if (decode || isPartial) return source;
  return {
    ...source,
    get retryError() {
      return retries.error;
    },
    deferring: (kept, stored, freezes) =>
      deferred(client, kind, source, selection, new DeferredSource(kind, kept, stored, freezes), retries),
  };
}

/** Stores the error that made the server defer the current request, while the request is retried. */
class RetryTracker {
  error: unknown;

  async until<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } finally {
      this.error = undefined;
    }
  }

  async *untilFirst<E>(events: AsyncIterable<E>): AsyncGenerator<E, void, undefined> {
    try {
      for await (const event of events) {
        this.error = undefined;
        yield event;
      }
    } finally {
      this.error = undefined;
    }
  }
}

/** Returns the same source, but with objects that are parsed lazily. */
function deferred<T extends KubeObject>(
  client: ListWatchClient,
  kind: Kind<T>,
  source: ListerWatcher<T>,
  selection: SelectionOptions,
  decoding: DeferredSource<T>,
  retries: RetryTracker,
): ListerWatcher<T> {
  return {
    ...source,
    get retryError() {
      return retries.error;
    },
    async list(request) {
      const options = { ...selection, ...request };
      if (client.listRaw) return decoding.page(await retries.until(client.listRaw(kind, options)));
      const items = await retries.until(client.list(kind, options));
      return decoding.parsed({ items, metadata: items.metadata });
    },
    async *watch(request) {
      for await (const raw of batches(client, kind, { ...selection, ...request }, retries)) {
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
  retries: RetryTracker,
): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
  if (client.watchBatches) return retries.untilFirst(client.watchBatches(kind, options));
  return oneByOne(client.watchRaw(kind, options));
}

async function* oneByOne<E>(events: AsyncIterable<E>): AsyncGenerator<readonly E[], void, undefined> {
  for await (const event of events) yield [event];
}

const openBracket = 0x5b;

/** Decodes the bytes of lists and watches into objects whose members are parsed when they are first read. */
export class DeferredSource<T extends KubeObject> {
  readonly #decoder: ObjectDecoder;
  readonly #type: TypeOfItems;
  readonly #strip: (object: T) => T;

  /** @param stored like `freezes`, a parameter of {@link ObjectDecoder} */
  constructor(kind: Kind<T>, managedFields: KeptManagedFields, stored?: StoredObject, freezes?: boolean) {
    this.#decoder = new ObjectDecoder(managedFields, stored, freezes);
    this.#type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    this.#strip = managedFields === "all" ? (object) => object : stripManagedFields<T>(managedFields?.of);
  }

  /** Decodes events. If one of them cannot be decoded, the events before it are returned together with the error. */
  events(raw: readonly RawWatchEvent[]): DecodedEvents<T> {
    const events: SourceEvent<T>[] = [];
    try {
      for (const event of raw) events.push(this.event(event));
    } catch (error) {
      return { events, failure: { error } };
    }
    return { events };
  }

  /** Decodes one event. @throws {StatusError} for an ERROR event; {Error} if the object is not JSON */
  event(raw: RawWatchEvent): SourceEvent<T> {
    const { type, object: bytes } = raw;
    if (type === "BOOKMARK") return decodeWatchEvent<T>(raw);
    const object = this.#decoder.decode(bytes, 0);
    // White space or invalid text may follow the object. The parser for whole events handles both.
    if (object === undefined || this.#decoder.end !== bytes.length) return decodeWatchEvent<T>(raw);
    return { type, object: object as T };
  }

  /** Decodes a list page. @throws {SyntaxError} if the page is not JSON */
  page(body: Buffer): ListPage<T> {
    const scanned = this.#scanned(body);
    if (scanned) return scanned;
    const list: unknown = parseJsonNumbers(body.toString());
    if (typeof list !== "object" || list === null)
      throw new Error(`the list response is ${String(list)}, not an object`);
    return this.parsed(list as ParsedList<T>);
  }

  /** Creates a page from a parsed list. */
  parsed({ metadata, items, ...type }: ParsedList<T>): ListPage<T> {
    if (items && !Array.isArray(items)) throw new Error('"items" in the list response is not an array');
    const typed = (item: T): T => (item.kind ? item : withIntegersOf(item, { ...this.#type, ...item }));
    // A non-object is passed on without a type, and the reflector skips it.
    const made = (item: T): T => (typeof item === "object" && item !== null ? this.#strip(typed(item)) : item);
    return { ...type, metadata: metadata ?? {}, items: (items ?? []).map(made) };
  }

  #scanned(body: Buffer): ListPage<T> | undefined {
    const page: { -readonly [M in keyof ListPage<T>]?: ListPage<T>[M] } = {};
    const members = new JsonMembers(body, 0);
    while (members.next()) {
      const name = textAt(body, members.nameStart, members.nameEnd);
      if (name === "items") {
        if (body[members.valueStart] !== openBracket) return undefined;
        const items = this.#items(body, members);
        if (!items) return undefined;
        page.items = items;
        continue;
      }
      members.skip();
      if (members.valueEnd < 0) return undefined;
      const value = (): unknown => JSON.parse(textAt(body, members.valueStart, members.valueEnd));
      if (name === "metadata") page.metadata = value() as ListMeta;
      else if (name === "kind") page.kind = value() as string;
      else if (name === "apiVersion") page.apiVersion = value() as string;
    }
    if (members.end < 0 || !page.items || body.subarray(members.end).toString().trim() !== "") return undefined;
    return { ...page, metadata: page.metadata ?? {}, items: page.items };
  }

  #items(body: Buffer, members: JsonMembers): T[] | undefined {
    const items: T[] = [];
    const elements = new JsonMembers(body, members.valueStart);
    while (elements.next()) {
      const object = this.#decoder.decode(body, elements.valueStart, this.#type);
      if (!object) return undefined;
      items.push(object as T);
      elements.skipTo(this.#decoder.end);
    }
    members.skipTo(elements.end);
    return items;
  }
}

interface DecodedEvents<T> {
  readonly events: readonly SourceEvent<T>[];
  readonly failure?: { readonly error: unknown };
}

/** A parsed list response. */
interface ParsedList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ListMeta;
  readonly items: readonly T[] | null;
}
