import type { Kind } from "@kubewright/apimachinery";
import { InformerCache, type InformerCacheOptions, type InformerMetricsProvider } from "@kubewright/cache";
import {
  type CachedReadWriter,
  Client,
  Connection,
  type ConnectionSettings,
  type Fence,
  withReader,
} from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import { defaultLogger, type Logger, safeLogger } from "@kubewright/log";
import { EventBroadcaster, type EventRecorder, type EventSink } from "@kubewright/recorder";
import type { Runnable, RunnableDescription } from "./runnable.ts";

/**
 * Options for a cluster's cache, such as kinds, namespaces and resync period. The cluster sets the client, clock and logger.
 *
 * @see controller-runtime pkg/cache Options
 */
export type CacheOptions = Omit<InformerCacheOptions, "client" | "clock" | "logger">;

/**
 * Options for a cluster: its connection, client and cache.
 *
 * @see controller-runtime pkg/cluster Options
 */
export interface ClusterOptions {
  /** The connection, or its settings. Default: the cluster that kubectl would use or, in a pod, the pod's own cluster. */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Client to use instead of creating one for the connection. The cluster does not close it. */
  readonly client?: Client | undefined;
  /**
   * Creates `client` from a live client and the cache. Default: reads from the cache, and writes with the live client. With a `fence`, it
   * is called a second time for the unfenced client, and with sharding, once for each shard that this process acquires.
   */
  readonly newClient?: ((live: Client, cache: InformerCache) => CachedReadWriter) | undefined;
  /** Cache to use instead of creating one for all namespaces. */
  readonly cache?: InformerCache | undefined;
  /** Options for the cache that the cluster creates. */
  readonly cacheOptions?: CacheOptions | undefined;
  /** Creates the cache from its options. */
  readonly newCache?: ((options: InformerCacheOptions) => InformerCache) | undefined;
  /** Kinds that `client` reads from the API server, in any version. Default: none, so that all kinds are read from the cache. */
  readonly disableFor?: readonly Pick<Kind, "group" | "kind">[] | undefined;
  /** Field owner for the client's writes. */
  readonly fieldOwner?: string | undefined;
  /** API that recorders use for events by default. Default `events.k8s.io/v1`. */
  readonly eventsApi?: "events.k8s.io/v1" | "v1" | undefined;
  /** Fence that writes must pass. Pass `manager.fence` for an additional cluster to which only the leader writes. */
  readonly fence?: Fence | undefined;
  /** Metrics for the informers in the cache that the cluster creates. */
  readonly informerMetrics?: InformerMetricsProvider | undefined;
  /** Logger. By default, warnings and errors are logged to standard error in a readable format. `silentLogger` disables logging. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** Two clients: one reads from the cache, the other from the API server. */
export interface ClusterClients {
  /** Client that reads from the cache and writes to the API server. `caughtUp` waits until the cache shows a write. */
  readonly client: CachedReadWriter;
  /** Client that reads from and writes to the API server. */
  readonly apiReader: Client;
}

/**
 * A cluster with its client, its event recorders, and a cache that starts informers on demand. Runs standalone or as
 * part of a manager, in the `caches` group. The constructor starts nothing.
 *
 * @see controller-runtime pkg/cluster
 */
export class Cluster implements ClusterClients, Runnable, AsyncDisposable {
  readonly name = "cluster";
  readonly group = "caches";
  readonly apiReader: Client;
  /** Cache that `client` reads from. It runs with the cluster. */
  readonly cache: InformerCache;
  readonly client: CachedReadWriter;
  /** The same clients without the fence, for writes by every replica, whether or not it is the leader. */
  readonly unfenced: ClusterClients;
  readonly #fenced: (fence: Fence) => ClusterClients;
  readonly #toClose: Pick<Connection, "close">[] = [];
  readonly #stopping = new AbortController();
  readonly #events: EventRecorders;

  /**
   * Without a connection, the default connection is determined on first use; errors are thrown at that time.
   *
   * @throws {RangeError} if the cache options are invalid
   */
  constructor(options: ClusterOptions) {
    for (const name of ["cacheOptions", "newCache"] as const)
      if (options.cache && options[name])
        throw new RangeError(`${name}: has no effect if \`cache\` is set; set only one of the two`);
    const { clock = systemClock, fieldOwner, fence, informerMetrics: metrics } = options;
    const logger = safeLogger(options.logger ?? defaultLogger());
    const { connection = Connection.fromDefault({ lazy: true, logger, clock }) } = options;
    const live = options.client ?? new Client({ connection, logger, clock, fieldOwner });
    if (!options.client) this.#toClose.push(live);
    if (!options.client && !options.connection && connection instanceof Connection) this.#toClose.push(connection);
    const { newCache = (wanted) => new InformerCache(wanted), cacheOptions, disableFor } = options;
    const { newClient = (reader, cache) => withReader(reader, cache, { disableFor }) } = options;
    this.cache =
      options.cache ??
      newCache({ client: live, clock, logger, ...cacheOptions, metrics: cacheOptions?.metrics ?? metrics });
    const shared = live.with({ retryUntil: this.#stopping.signal });
    this.unfenced = { apiReader: shared, client: newClient(shared, this.cache) };
    this.#fenced = (by) => {
      const apiReader = shared.with({ fence: by });
      return { apiReader, client: newClient(apiReader, this.cache) };
    };
    const { apiReader, client } = fence ? this.#fenced(fence) : this.unfenced;
    this.apiReader = apiReader;
    this.client = client;
    this.#events = new EventRecorders(live, { clock, logger, api: options.eventsApi });
  }

  /** Returns a client like `client` whose writes pass another fence. */
  fencedClient(fence: Fence): CachedReadWriter {
    return this.#fenced(fence).client;
  }

  /** Returns a recorder that writes events in the name of `controller`, with the default API or the given one. */
  recorderFor(controller: string, api?: ClusterOptions["eventsApi"]): EventRecorder {
    return this.#events.recorder(controller, api);
  }

  /**
   * Runs the cache until the signal aborts, then closes the cluster.
   *
   * @param stopping signal that ends all waiting: for the cache (see `InformerCache.run`), and of the clients before
   * they retry requests that the API server deferred
   */
  async run(signal: AbortSignal, stopping?: AbortSignal): Promise<void> {
    try {
      void this.apiReader.connection.settings; // reports a missing connection here
      await this.#run(signal, stopping);
    } finally {
      await this.close();
    }
  }

  /** Resolves when the cache has synced or the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.cache.waitForSync(signal);
  }

  /** A runnable that runs only the cache, for callers that close the cluster later. */
  get cacheRunnable(): Runnable {
    const { cache, group } = this;
    const describe = (): RunnableDescription => ({ caches: cache.describe() });
    return {
      name: "cache",
      group,
      run: (signal, stopping) => this.#run(signal, stopping),
      ready: (signal) => this.ready(signal),
      describe,
      inspect: () => ({ kinds: cache.inspect() }),
    };
  }

  /**
   * Tries once more to write pending events, stops the recorders, and closes the client if it was created by the
   * cluster.
   *
   * @param eventsTimeoutMs maximum time for writing events, in milliseconds. Default 5,000.
   */
  async close(eventsTimeoutMs?: number): Promise<void> {
    await this.#events.stop(eventsTimeoutMs);
    for (const one of this.#toClose) await one.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(signal: AbortSignal, stopping = signal): Promise<void> {
    const end = (): void => this.#stopping.abort();
    if (stopping.aborted) end();
    stopping.addEventListener("abort", end, { once: true });
    await this.cache.run(signal, stopping);
  }
}

/** Recorders for both APIs. Nothing is started before the first event. */
class EventRecorders {
  readonly #broadcasters: Readonly<Record<NonNullable<ClusterOptions["eventsApi"]>, EventBroadcaster>>;
  readonly #usual: NonNullable<ClusterOptions["eventsApi"]>;

  constructor(
    sink: EventSink,
    options: { readonly clock: Clock; readonly logger: Logger; readonly api?: ClusterOptions["eventsApi"] },
  ) {
    const { api = "events.k8s.io/v1", ...others } = options;
    const broadcaster = (of: NonNullable<ClusterOptions["eventsApi"]>): EventBroadcaster =>
      new EventBroadcaster({ sink, ...others, api: of });
    this.#broadcasters = { "events.k8s.io/v1": broadcaster("events.k8s.io/v1"), v1: broadcaster("v1") };
    this.#usual = api;
  }

  /** Returns a recorder that writes events in the name of `controller`. */
  recorder(controller: string, api: ClusterOptions["eventsApi"] = this.#usual): EventRecorder {
    return this.#broadcasters[api].recorder(controller);
  }

  /** Tries once more to write pending events, for at most this time, then stops the recorders. */
  async stop(timeoutMs?: number): Promise<void> {
    await Promise.all(Object.values(this.#broadcasters).map((broadcaster) => broadcaster.stop(timeoutMs)));
  }
}
