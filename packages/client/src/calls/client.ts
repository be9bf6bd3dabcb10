import {
  apiVersionOf,
  type DeepReadonly,
  isMetadataOnly,
  type KeyLike,
  type Kind,
  type KubeObject,
  type ListMeta,
  type RESTMapper,
  type Stored,
  stringifyJson,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { defaultLogger, type Logger, silentLogger } from "@kubewright/log";
import { Connection, type Query } from "../connection/connection.ts";
import { type KubeList, kubeList } from "../contract/kube-list.ts";
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  FieldValidation,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from "../contract/options.ts";
import type { ApplyConfiguration, PatchBody } from "../contract/patch-body.ts";
import type { Creatable, ReadWriter, Target, Writable } from "../contract/reader-writer.ts";
import { Discovery } from "../discovery/discovery.ts";
import { DiscoveryRESTMapper } from "../discovery/discovery-rest-mapper.ts";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { decodeWatchEvent, type RawWatchEvent, rawWatchBatches } from "../watch/watch.ts";
import type { WatchEvent } from "../watch/watch-event.ts";
import type { Fence } from "./fence.ts";
import { addressOf, ObjectCalls, typed } from "./object-calls.ts";
import { ObjectWrites } from "./object-writes.ts";
import { deleteOptionsBody, listQuery, writeQuery } from "./request-query.ts";
import { StatusClient } from "./status-client.ts";
import { SubResourceClient } from "./sub-resource-client.ts";
import { onceEach, type WarningHandler } from "./warnings.ts";

/** What a client adds to calls that do not say otherwise. */
export interface ClientDefaults {
  /** Owner of the fields that writes set. Default: the server derives one from the user agent; `apply` needs one. */
  readonly fieldOwner?: string | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
  /** All writes are validated and answered, and change nothing. */
  readonly dryRun?: boolean | undefined;
  /** The namespace of calls that name none; calls that name another are refused. Kinds of the cluster are not affected. */
  readonly namespace?: string | undefined;
  /** What all writes pass through, and no read. */
  readonly fence?: Fence | undefined;
}

export interface ClientOptions extends ClientDefaults {
  readonly connection: Connection | ConnectionSettings;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Default: one that asks the server's discovery. */
  readonly mapper?: RESTMapper | undefined;
  /** Called with each warning of the API server. Default: each distinct one is logged once, without a `logger` to standard error. */
  readonly onWarning?: WarningHandler | undefined;
}

const pageSize = 500;

/**
 * Objects of any kind at one API server: built-in kinds, kinds made by `defineKind`, and `unstructured` ones alike. Reads are live.
 *
 * Errors are `StatusError` where the server refused, `ConnectionError` where no answer came, `NoMatchError` where nothing of the
 * kind is served; each message says what was attempted on which object.
 *
 * @see controller-runtime pkg/client Client
 */
export class Client implements ReadWriter {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly mapper: RESTMapper;
  readonly status: StatusClient;
  readonly #calls: ObjectCalls;
  readonly #writes: ObjectWrites;
  readonly #options: ClientOptions;
  readonly #ownsConnection: boolean;

  constructor(options: ClientOptions) {
    const { connection, logger = silentLogger, clock = systemClock } = options;
    this.#options = options;
    this.#ownsConnection = !(connection instanceof Connection);
    this.connection = connection instanceof Connection ? connection : new Connection(connection, { clock, logger });
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
    });
    this.#writes = new ObjectWrites(this.#calls, options);
    this.status = new StatusClient(this.#calls, options);
  }

  // What is read from the server is the caller's own; the second form says that a read-only view of it serves a Reader.
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<T>>;
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>>;
  async get(kind: Kind, key: KeyLike, options: GetOptions = {}): Promise<unknown> {
    const { resourceVersion, signal } = options;
    return this.#calls.object({ verb: "get", kind, ...addressOf(key), query: { resourceVersion }, signal });
  }

  /** Without `limit` all objects in one answer; with it, at most so many, and `metadata.continue` leads on. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<T>>>;
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
  async list(kind: Kind, options: ListOptions = {}): Promise<KubeList<unknown>> {
    const { namespace, signal } = options;
    const call = { verb: "list", kind, namespace, query: listQuery(options), signal };
    const { items, metadata } = await this.#calls.object<{ items: KubeObject[] | null; metadata?: ListMeta }>(call);
    return kubeList(await this.#withTypes(kind, items ?? []), metadata ?? {});
  }

  /** As {@link list}, with the answer left as the bytes it came in, decompressed. */
  async listRaw(kind: Kind, options: ListOptions = {}): Promise<Buffer> {
    const { namespace, signal } = options;
    const { body } = await this.#calls.send({ verb: "list", kind, namespace, query: listQuery(options), signal });
    return body;
  }

  /**
   * The list in pages of `limit` (default 500), fetched as the loop asks for them. All pages show the same moment.
   *
   * @throws {Error} if the server leads to a page that was there before
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
      yield type && event.type !== "BOOKMARK" ? { ...event, object: { ...event.object, ...type } } : event;
    }
  }

  /** As {@link watch}, with the objects left as the bytes they came in; see `decodeWatchEvent`. */
  async *watchRaw(kind: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
    for await (const events of this.watchBatches(kind, options)) yield* events;
  }

  /** As {@link watchRaw}, with the events that arrived together in one array. */
  async *watchBatches(
    kind: Kind,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
    const { namespace, signal, timeoutMs, sendInitialEvents, bookmarks = true } = options;
    const { resourceVersionMatch = "NotOlderThan" } = options;
    const query: Query = {
      ...listQuery(sendInitialEvents ? { ...options, resourceVersionMatch } : options),
      watch: true,
      allowWatchBookmarks: bookmarks || undefined,
      sendInitialEvents,
      timeoutSeconds: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1_000),
    };
    try {
      const { chunks } = await this.#calls.stream({ verb: "watch", kind, namespace, query, signal });
      yield* rawWatchBatches(chunks);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  async create<T extends KubeObject>(
    kind: Kind<T>,
    object: Creatable<T>,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const body = typed("create", kind, object);
    return this.#calls.object({
      verb: "create",
      kind,
      method: "POST",
      namespace: body.metadata.namespace,
      query: writeQuery(options, this.#options),
      body: stringifyJson(body),
      signal: options.signal,
    });
  }

  async update<T extends KubeObject>(
    kind: Kind<T>,
    object: Writable<T>,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    return this.#writes.updateObject(kind, object, options);
  }

  async patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<NoInfer<T>>,
    options: PatchOptions = {},
  ): Promise<Stored<T>> {
    return this.#writes.patch(kind, target, patch, options);
  }

  async apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options: ApplyOptions = {},
  ): Promise<Stored<T>> {
    return this.#writes.apply(kind, configuration, options);
  }

  async delete(kind: Kind, target: Target, options: DeleteOptions = {}): Promise<void> {
    const { signal } = options;
    const body = deleteOptionsBody(options, this.#options);
    await this.#calls.send({ verb: "delete", kind, method: "DELETE", ...addressOf(target), body, signal });
  }

  async deleteCollection(kind: Kind, options: DeleteCollectionOptions = {}): Promise<void> {
    const { namespace, signal } = options;
    const body = deleteOptionsBody(options, this.#options);
    const query = listQuery(options);
    await this.#calls.send({ verb: "delete all", kind, method: "DELETE", namespace, query, body, signal });
  }

  subResource<N extends string>(name: N): SubResourceClient<N> {
    return new SubResourceClient(this.#calls, this.#options, name);
  }

  /**
   * This client with other defaults, over the same connection: `client.with({ dryRun: true })`, `client.with({ namespace })`. Those
   * that are absent or `undefined` stay as they are.
   *
   * @see controller-runtime pkg/client NewDryRunClient, NewNamespacedClient, WithFieldOwner, WithFieldValidation
   */
  with(defaults: ClientDefaults): Client {
    const { fieldOwner, fieldValidation, dryRun, namespace, fence } = this.#options;
    return new Client({
      ...this.#options,
      fieldOwner: defaults.fieldOwner ?? fieldOwner,
      fieldValidation: defaults.fieldValidation ?? fieldValidation,
      dryRun: defaults.dryRun ?? dryRun,
      namespace: defaults.namespace ?? namespace,
      fence: defaults.fence ?? fence,
      connection: this.connection,
      mapper: this.mapper,
    });
  }

  /** Closes the connection if this client made it from settings; one that was handed in stays its owner's. */
  async close(): Promise<void> {
    if (this.#ownsConnection) await this.connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Servers leave the type out of a list's items; without it an item could not be told from one of another kind. */
  async #withTypes(kind: Kind, items: KubeObject[]): Promise<KubeObject[]> {
    if (items.length === 0) return items;
    const { gvk } = await this.#calls.mapping(kind);
    const type = { apiVersion: apiVersionOf(gvk), kind: gvk.kind };
    return items.map((item) => (item.kind ? item : { ...type, ...item }));
  }
}
