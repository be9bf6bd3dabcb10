import {
  apiVersionOf,
  type DeepReadonly,
  isMetadataOnly,
  isRecord,
  type KeyLike,
  type Kind,
  type KubeObject,
  type ListMeta,
  type RESTMapper,
  type Stored,
  withIntegersOf,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { defaultLogger, type Logger, silentLogger } from "@kubewright/log";
import { Connection } from "../connection/connection.ts";
import { Discovery } from "../connection/discovery.ts";
import { DiscoveryRESTMapper } from "../connection/discovery-rest-mapper.ts";
import { jsonTypeOf } from "../connection/response.ts";
import type { ApplyConfiguration, Creatable, PatchBody, Target, Writable } from "../contract/objects.ts";
import {
  type CallOptions,
  type GetOptions,
  type KubeList,
  kubeList,
  type ListOptions,
  type SelectionOptions,
} from "../contract/reader.ts";
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  PatchOptions,
  ReadWriter,
  StatusWriter,
  SubResourceWriter,
  WriteOptions,
  Writer,
} from "../contract/writer.ts";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { decodeWatchEvent, type RawWatchEvent, rawWatchBatches, type WatchEvent } from "../watch/watch.ts";
import { listQuery, ObjectCalls, onceEach, type WarningHandler } from "./object-calls.ts";
import {
  addressOf,
  type ClientDefaults,
  keepPipeline,
  pipelineTo,
  type WriteInterceptor,
  writerOf,
} from "./write-pipeline.ts";

/** Options for a {@link Client}: its connection and defaults. @see controller-runtime pkg/client Options */
export interface ClientOptions extends ClientDefaults {
  /**
   * A connection, or the settings for a connection that the client opens and `close` closes. Default: the cluster that kubectl would use
   * or, in a pod, the pod's own cluster. The default is determined at the first request.
   */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Logger. Default: silent. */
  readonly logger?: Logger | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Maps kinds to resources. Default: a mapper that uses the server's discovery. */
  readonly mapper?: RESTMapper | undefined;
  /** Called with each API server warning. Default: each distinct warning is logged once; without a `logger`, to standard error. */
  readonly onWarning?: WarningHandler | undefined;
}

/** Options for a watch: selection, start and duration. @see apimachinery meta/v1 ListOptions */
export interface WatchOptions extends SelectionOptions, CallOptions {
  /** Resource version after which the watch starts. By default, the watch reports the current state as ADDED events, then changes. */
  readonly resourceVersion?: string | undefined;
  /** Interpretation of the resource version. Default with `sendInitialEvents`: `"NotOlderThan"`. */
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** True to request BOOKMARK events. Default true. */
  readonly bookmarks?: boolean | undefined;
  /**
   * True to request a streaming list: an ADDED event for each existing object, then a bookmark annotated with `k8s.io/initial-events-end`.
   * Kubernetes 1.30, 1.31 and 1.33 do not support streaming lists and reject the watch with an error that `isInvalid` recognizes. Default
   * false.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /**
   * Time in milliseconds after which the server ends the watch, rounded up to whole seconds. By default, the server chooses 30 to 60
   * minutes.
   */
  readonly timeoutMs?: number | undefined;
  /** Ranges of hashes to select; see `ListOptions`. */
  readonly shardSelector?: string | undefined;
}

const pageSize = 500;

/** Reads and writes the status of objects through the API server. */
export interface StatusClient extends StatusWriter {
  /** Returns the whole object, as served by its status subresource. */
  get<T extends KubeObject>(kind: Kind<T>, target: Target, options?: GetOptions): Promise<Stored<T>>;
}

/**
 * Reads and writes objects of any kind through an API server: built-in kinds, kinds defined with `defineKind`, and `unstructured` kinds.
 * Reads always go to the server.
 *
 * A call fails with a `StatusError` if the server rejected it, a `ConnectionError` if no response arrived, and a
 * `NoMatchError` if the kind is not served. Each error message describes the call and names the object.
 *
 * @see controller-runtime pkg/client Client
 */
export class Client implements ReadWriter {
  /** The connection, for requests that no client method covers. */
  readonly connection: Connection;
  /** The server's API groups and resources, cached until invalidated. */
  readonly discovery: Discovery;
  /** Maps kinds to the resources under which they are served. */
  readonly mapper: RESTMapper;
  /** Reads and writes the status of objects. */
  readonly status: StatusClient;
  readonly #calls: ObjectCalls;
  /** Interceptors, which are called in reverse order; see `aroundWrites`. */
  readonly #interceptors: WriteInterceptor[] = [];
  readonly #writer: Writer;
  readonly #options: ClientOptions;
  readonly #ownsConnection: boolean;

  constructor(options: ClientOptions = {}) {
    const { connection, logger = silentLogger, clock = systemClock } = options;
    this.#options = options;
    this.#ownsConnection = !(connection instanceof Connection);
    if (connection instanceof Connection) this.connection = connection;
    else if (connection) this.connection = new Connection(connection, { clock, logger });
    else this.connection = Connection.fromDefault({ lazy: true, clock, logger });
    this.discovery = new Discovery(this.connection);
    this.mapper = options.mapper ?? new DiscoveryRESTMapper(this.discovery, { clock });
    const warn = (warning: string): void => (options.logger ?? defaultLogger()).warn({ warning }, "API server warning");
    const onWarning = options.onWarning ?? onceEach(warn);
    this.#calls = new ObjectCalls({
      connection: this.connection,
      mapper: this.mapper,
      onWarning,
      namespace: options.namespace,
      retryUntil: options.retryUntil,
      onRetry: options.onRetry,
    });
    if (options.around) this.#interceptors.push(options.around);
    const pipeline = pipelineTo(this.#calls, options, this.#interceptors);
    this.#writer = writerOf(pipeline);
    if (new.target === Client) keepPipeline(this, pipeline); // a subclass may override the write methods
    this.status = statusClient(this.#calls, this.#writer.status);
  }

  // The first overload returns objects that the caller may modify. The second overload makes the client a Reader, whose objects are
  // read-only.
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<T>>;
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>>;
  async get(kind: Kind, key: KeyLike, options: GetOptions = {}): Promise<unknown> {
    const { resourceVersion, signal } = options;
    return this.#calls.object({ verb: "get", kind, ...addressOf(key), query: { resourceVersion }, signal });
  }

  /**
   * Returns all objects in one response. With `limit`, returns at most that many, and `metadata.continue` is the token for the next page.
   */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<T>>>;
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
  async list(kind: Kind, options: ListOptions = {}): Promise<KubeList<unknown>> {
    const { namespace, signal } = options;
    const call = { verb: "list", kind, namespace, query: listQuery(options), signal };
    const { items, metadata } = await this.#calls.object<{ items: KubeObject[] | null; metadata?: ListMeta }>(call);
    return kubeList(await this.#withTypes(kind, items ?? []), metadata ?? {});
  }

  /** Lists objects like {@link list}, but returns the decompressed bytes of the response. */
  async listRaw(kind: Kind, options: ListOptions = {}): Promise<Buffer> {
    const { namespace, signal } = options;
    const { body } = await this.#calls.send({ verb: "list", kind, namespace, query: listQuery(options), signal });
    return body;
  }

  /**
   * Yields the list in pages of `limit` objects (default 500), which are fetched on demand. All pages show the state at the same point in
   * time.
   *
   * @throws {Error} if the server repeats a continue token
   * @see client-go tools/pager ListPager
   */
  async *listPages<T extends KubeObject>(
    kind: Kind<T>,
    options: Omit<ListOptions, "continue"> = {},
  ): AsyncGenerator<KubeList<Stored<T>>, void, undefined> {
    let token: string | undefined;
    const known = new Set<string>();
    do {
      const page = await this.list(kind, { ...options, limit: options.limit ?? pageSize, continue: token });
      yield page;
      token = page.metadata.continue || undefined;
      if (token !== undefined && known.size === known.add(token).size)
        throw new Error(
          `list ${kind.kind}: the server sent the same continue token twice, so the list would never end`,
        );
    } while (token !== undefined);
  }

  /**
   * Yields changes as they happen. The loop ends when the server ends the watch or the signal aborts; `break` closes the watch.
   *
   * @throws {StatusError} for an ERROR event (if `isExpired`, list again) or a rejected request
   * @throws {ConnectionError} if the connection breaks
   */
  async *watch<T extends KubeObject>(
    kind: Kind<T>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined> {
    const type = isMetadataOnly(kind) ? { apiVersion: apiVersionOf(kind), kind: kind.kind } : undefined;
    for await (const raw of this.watchRaw(kind, options)) {
      const event = decodeWatchEvent<Stored<T>>(raw);
      if (!isRecord(event.object))
        throw new Error(
          `watch ${kind.kind}: the object in the event (${raw.type}) is ${jsonTypeOf(event.object)}, not an object`,
        );
      yield type && event.type !== "BOOKMARK" ? { ...event, object: { ...event.object, ...type } } : event;
    }
  }

  /** Watches objects like {@link watch}, but yields each object as unparsed bytes; see `decodeWatchEvent`. */
  async *watchRaw(kind: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
    for await (const events of this.watchBatches(kind, options)) yield* events;
  }

  /** Watches objects like {@link watchRaw}, but yields events that arrived together as one array. */
  async *watchBatches(
    kind: Kind,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
    const { namespace, signal, timeoutMs, sendInitialEvents, bookmarks = true } = options;
    const { resourceVersionMatch = "NotOlderThan" } = options;
    // A list's options may be passed to a watch, but watches have no pages.
    const whole = { ...options, limit: undefined, continue: undefined };
    const query = {
      ...listQuery(sendInitialEvents ? { ...whole, resourceVersionMatch } : whole),
      watch: true,
      allowWatchBookmarks: bookmarks || undefined,
      sendInitialEvents,
      timeoutSeconds: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1_000),
    };
    try {
      const { chunks } = await this.#calls
        .stream({ verb: "watch", kind, namespace, query, signal })
        .catch(noteUnopened);
      yield* rawWatchBatches(chunks);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  create<T extends KubeObject>(kind: Kind<T>, object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#writer.create(kind, object, options);
  }

  update<T extends KubeObject>(kind: Kind<T>, object: Writable<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#writer.update(kind, object, options);
  }

  patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T>> {
    return this.#writer.patch(kind, target, patch, options);
  }

  apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<Stored<T>> {
    return this.#writer.apply(kind, configuration, options);
  }

  delete(kind: Kind, target: Target, options?: DeleteOptions): Promise<void> {
    return this.#writer.delete(kind, target, options);
  }

  deleteCollection(kind: Kind, options?: DeleteCollectionOptions): Promise<void> {
    return this.#writer.deleteCollection(kind, options);
  }

  subResource<N extends string>(name: N): SubResourceWriter<N> {
    return this.#writer.subResource(name);
  }

  /**
   * Returns a client with different defaults that uses the same connection, for example `client.with({ dryRun: true })` or `client.with({
   * namespace })`. Defaults that are absent or `undefined` keep their current values. `around` wraps the existing interceptor.
   *
   * @see controller-runtime pkg/client NewDryRunClient, NewNamespacedClient, WithFieldOwner, WithFieldValidation
   */
  with(defaults: ClientDefaults): Client {
    const { fieldOwner, fieldValidation, dryRun, namespace, fence, retryUntil, onRetry } = this.#options;
    const client = new Client({
      ...this.#options,
      fieldOwner: defaults.fieldOwner ?? fieldOwner,
      fieldValidation: defaults.fieldValidation ?? fieldValidation,
      dryRun: defaults.dryRun ?? dryRun,
      namespace: defaults.namespace ?? namespace,
      fence: defaults.fence ?? fence,
      retryUntil: defaults.retryUntil ?? retryUntil,
      onRetry: defaults.onRetry ?? onRetry,
      around: undefined,
      connection: this.connection,
      mapper: this.mapper,
    });
    client.#interceptors.push(...this.#interceptors, ...(defaults.around ? [defaults.around] : []));
    return client;
  }

  /** Closes the connection if this client opened it. A connection that was passed in remains open. */
  async close(): Promise<void> {
    if (this.#ownsConnection) await this.connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Adds `apiVersion` and `kind`, which servers omit from a list's items. */
  async #withTypes(kind: Kind, items: KubeObject[]): Promise<KubeObject[]> {
    if (items.length === 0) return items;
    const { gvk } = await this.#calls.mapping(kind);
    const type = { apiVersion: apiVersionOf(gvk), kind: gvk.kind };
    return items.map((item) => (item.kind ? item : withIntegersOf(item, { ...type, ...item })));
  }
}

const statusClient = (calls: ObjectCalls, writer: StatusWriter): StatusClient => ({
  ...writer,
  get: async (kind, target, { signal, resourceVersion } = {}) =>
    calls.object({
      verb: "get",
      kind,
      ...addressOf(target),
      subResource: "status",
      query: { resourceVersion },
      signal,
    }),
});

/** Errors of watches that failed before they were open. */
const unopened = new WeakSet<object>();

function noteUnopened(error: unknown): never {
  if (typeof error === "object" && error !== null) unopened.add(error);
  throw error;
}

/** Reports whether an error means that the server rejected the watch request, as opposed to an ERROR event on an open watch. */
export const isWatchRefusal = (error: unknown): boolean =>
  typeof error === "object" && error !== null && unopened.has(error);
