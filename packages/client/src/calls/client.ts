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
import type { ConnectionRequest } from "../connection/connection-request.ts";
import { jsonTypeOf } from "../connection/object-in.ts";
import type { Fence } from "../contract/fence.ts";
import { type KubeList, kubeList } from "../contract/kube-list.ts";
import type { ApplyConfiguration, PatchBody } from "../contract/patch-body.ts";
import type { GetOptions, ListOptions } from "../contract/reader.ts";
import type { SubResourceWriter } from "../contract/sub-resource.ts";
import type { Creatable, Target, Writable } from "../contract/target.ts";
import type { WriteCall, WriteInterceptor } from "../contract/write-call.ts";
import type { ApplyOptions, PatchOptions, WriteOptions } from "../contract/write-options.ts";
import type { DeleteCollectionOptions, DeleteOptions, ReadWriter, StatusWriter, Writer } from "../contract/writer.ts";
import { Discovery } from "../discovery/discovery.ts";
import { DiscoveryRESTMapper } from "../discovery/discovery-rest-mapper.ts";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { decodeWatchEvent, type RawWatchEvent } from "../watch/watch.ts";
import type { WatchEvent } from "../watch/watch-event.ts";
import { listQuery } from "./list-query.ts";
import { addressOf, ObjectCalls } from "./object-calls.ts";
import { subResourceReads } from "./sub-resource-reads.ts";
import { onceEach, type WarningHandler } from "./warnings.ts";
import { type WatchOptions, watchBatches } from "./watch-batches.ts";
import { type WriteDefaults, writeRequest } from "./write-request.ts";
import { writerOf } from "./writer-of.ts";

/** What a client adds to calls that say nothing else. */
export interface ClientDefaults extends WriteDefaults {
  /** The namespace of calls that name none; calls that name another are refused. Cluster-scoped kinds are not affected. Default: none. */
  readonly namespace?: string | undefined;
  /** What every write passes through, and no read. Default: none. */
  readonly fence?: Fence | undefined;
  /**
   * When it aborts, no request is sent again that the server put off or whose connection broke: it fails with what it came to. What is
   * under way is not given up. Default: requests are sent again for as long as the connection has it.
   */
  readonly retryUntil?: AbortSignal | undefined;
  /** Called when a request is to be sent again later, with what it came to: a refusal that names a time, a broken connection. Default: nothing. */
  readonly onRetry?: ConnectionRequest["onRetry"];
  /** What stands around every write, before defaults are filled in and the fence is asked; see `aroundWrites`. Default: nothing. */
  readonly around?: WriteInterceptor | undefined;
}

/** Which API server a {@link Client} talks to, and what it adds to calls. @see controller-runtime pkg/client Options */
export interface ClientOptions extends ClientDefaults {
  /**
   * Settings make a connection of the client's own, which `close` ends. Default: the cluster that kubectl would talk to, or that of this
   * pod, which is looked for at the first request.
   */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: one that asks the server's discovery. */
  readonly mapper?: RESTMapper | undefined;
  /** Called with each warning of the API server. Default: each distinct one is logged once, to standard error without a `logger`. */
  readonly onWarning?: WarningHandler | undefined;
}

const pageSize = 500;

/** The status of objects at the API server. */
export interface StatusClient extends StatusWriter {
  /** The whole object, as its status subresource shows it. */
  get<T extends KubeObject>(kind: Kind<T>, target: Target, options?: GetOptions): Promise<Stored<T>>;
}

/**
 * Objects of any kind at one API server: built-in kinds, kinds made by `defineKind`, and `unstructured` ones alike. Reads are live.
 *
 * Errors are `StatusError` where the server refused, `ConnectionError` where no answer came, `NoMatchError` where nothing of the
 * kind is served; each message says what was attempted on which object.
 *
 * @see controller-runtime pkg/client Client
 */
export class Client implements ReadWriter {
  /** For requests that no method here makes. */
  readonly connection: Connection;
  /** What the server offers, kept until it is invalidated. */
  readonly discovery: Discovery;
  /** Which resource a kind is served as. */
  readonly mapper: RESTMapper;
  /** Reads and writes the status of objects. */
  readonly status: StatusClient;
  readonly #calls: ObjectCalls;
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
      fence: options.fence,
      retryUntil: options.retryUntil,
      onRetry: options.onRetry,
    });
    this.#writer = writerOf({
      write: (call) => (options.around ? options.around(call, (changed) => this.#write(changed)) : this.#write(call)),
      readsOf: (name) => subResourceReads(this.#calls, name),
    });
    this.status = statusClient(this.#calls, this.#writer.status);
  }

  // What is read from the server is the caller's own; the second form says that a read-only view of it serves a Reader.
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<T>>;
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>>;
  async get(kind: Kind, key: KeyLike, options: GetOptions = {}): Promise<unknown> {
    const { resourceVersion, signal } = options;
    return this.#calls.object({ verb: "get", kind, ...addressOf(key), query: { resourceVersion }, signal });
  }

  /** All objects in one answer; with `limit` at most so many, and `metadata.continue` leads on. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<T>>>;
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
  async list(kind: Kind, options: ListOptions = {}): Promise<KubeList<unknown>> {
    const { namespace, signal } = options;
    const call = { verb: "list", kind, namespace, query: listQuery(options), signal };
    const { items, metadata } = await this.#calls.object<{ items: KubeObject[] | null; metadata?: ListMeta }>(call);
    return kubeList(await this.#withTypes(kind, items ?? []), metadata ?? {});
  }

  /** As {@link list}, answered as the bytes that came, decompressed. */
  async listRaw(kind: Kind, options: ListOptions = {}): Promise<Buffer> {
    const { namespace, signal } = options;
    const { body } = await this.#calls.send({ verb: "list", kind, namespace, query: listQuery(options), signal });
    return body;
  }

  /**
   * The list in pages of `limit` objects (default 500), fetched as the loop asks for them. All pages show the same moment.
   *
   * @throws {Error} if the server leads back to a page that came before
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
        throw new Error(`list ${kind.kind}: the server gave the same continue token twice, the list would never end`);
    } while (token !== undefined);
  }

  /**
   * Changes as they happen. The loop ends when the server ends the watch or the signal aborts; `break` closes it.
   *
   * @throws {StatusError} for an ERROR event (`isExpired`: list again) or a refusal
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
          `watch ${kind.kind}: the object of the event (${raw.type}) is ${jsonTypeOf(event.object)}, not an object`,
        );
      yield type && event.type !== "BOOKMARK" ? { ...event, object: { ...event.object, ...type } } : event;
    }
  }

  /** As {@link watch}, with the objects left as the bytes they came in; see `decodeWatchEvent`. */
  async *watchRaw(kind: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
    for await (const events of this.watchBatches(kind, options)) yield* events;
  }

  /** As {@link watchRaw}, with the events that arrived together in one array. */
  watchBatches(kind: Kind, options: WatchOptions = {}): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
    return watchBatches(this.#calls, kind, options);
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
   * This client with other defaults, over the same connection: `client.with({ dryRun: true })`, `client.with({ namespace })`. A default
   * that is absent or `undefined` stays as it is; `around` goes around what is there.
   *
   * @see controller-runtime pkg/client NewDryRunClient, NewNamespacedClient, WithFieldOwner, WithFieldValidation
   */
  with(defaults: ClientDefaults): Client {
    const { fieldOwner, fieldValidation, dryRun, namespace, fence, retryUntil, onRetry, around } = this.#options;
    return new Client({
      ...this.#options,
      fieldOwner: defaults.fieldOwner ?? fieldOwner,
      fieldValidation: defaults.fieldValidation ?? fieldValidation,
      dryRun: defaults.dryRun ?? dryRun,
      namespace: defaults.namespace ?? namespace,
      fence: defaults.fence ?? fence,
      retryUntil: defaults.retryUntil ?? retryUntil,
      onRetry: defaults.onRetry ?? onRetry,
      around: around && defaults.around ? outside(defaults.around, around) : (defaults.around ?? around),
      connection: this.connection,
      mapper: this.mapper,
    });
  }

  /** Closes the connection if this client made it; one that was handed in is left to its owner. */
  async close(): Promise<void> {
    if (this.#ownsConnection) await this.connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #write<Answer>(call: WriteCall): Promise<Answer> {
    const request = writeRequest(call, this.#options);
    if (request.method !== "DELETE") return this.#calls.object(request);
    await this.#calls.send(request);
    return undefined as Answer; // nobody waits for what a deletion answers
  }

  /** Servers leave the type out of a list's items; without it an item could not be told from one of another kind. */
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

const outside =
  (outer: WriteInterceptor, inner: WriteInterceptor): WriteInterceptor =>
  (call, next) =>
    outer(call, (changed) => inner(changed, next));
