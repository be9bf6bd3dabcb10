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
 * Options for a cluster's cache: kinds, namespaces, resync and others. The client, clock and logger are the cluster's.
 *
 * @see controller-runtime pkg/cache Options
 *
 */
export type CacheOptions = Omit<InformerCacheOptions, "client" | "clock" | "logger">;

/**
 * A cluster's connection, client and cache.
 *
 * @see controller-runtime pkg/cluster Options
 *
 */
export interface ClusterOptions {
  /** The connection, or its settings. Default: found in the same way as kubectl finds it. */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Client to use instead of one made from the connection; it is not closed. */
  readonly client?: Client | undefined;
  /**
   * Makes `client` from a client that reads live, and the cache. Default: reads from the cache, writes with the client. With a `fence` it
   * is called a second time, for the unfenced client.
   */
  readonly newClient?: ((live: Client, cache: InformerCache) => CachedReadWriter) | undefined;
  /** Cache to use instead of one of all namespaces. */
  readonly cache?: InformerCache | undefined;
  /** Options for the cache that is made here. */
  readonly cacheOptions?: CacheOptions | undefined;
  /** Creates the cache from its options. */
  readonly newCache?: ((options: InformerCacheOptions) => InformerCache) | undefined;
  /** Kinds that `client` reads from the API server, in any version. Default: none, all are read from the cache. */
  readonly disableFor?: readonly Pick<Kind, "group" | "kind">[] | undefined;
  /** Owner of the fields that the client's writes set. */
  readonly fieldOwner?: string | undefined;
  /** API that recorders use for events unless they specify one. Default `events.k8s.io/v1`. */
  readonly eventsApi?: EventsApi | undefined;
  /** Fence that writes pass through. For an additional cluster that only the leader writes to: `manager.fence`. */
  readonly fence?: Fence | undefined;
  /** Metrics of the informers of a cache made here. */
  readonly informerMetrics?: InformerMetricsProvider | undefined;
  /** The logger to use. Default: warnings and errors go to standard error in a readable format; `silentLogger` disables them. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** Two clients that read in different ways and write in the same way. */
export interface ClusterClients {
  /** Client that reads from the cache and writes to the API server; `caughtUp` waits until the cache shows a write. */
  readonly client: CachedReadWriter;
  /** Client that reads and writes live. */
  readonly apiReader: Client;
}

/**
 * One cluster: a client, a cache that fills as kinds are requested, and event recorders. It runs on its own or, if added to a manager, in
 * the group of caches. The constructor starts nothing.
 *
 * @see controller-runtime pkg/cluster
 *
 */
export class Cluster implements ClusterClients, Runnable {
  readonly name = "cluster";
  readonly group = "caches";
  readonly apiReader: Client;
  /** Cache that `client` reads from; it runs with the cluster. */
  readonly cache: InformerCache;
  readonly client: CachedReadWriter;
  /** The same clients without the fence, for writes that every replica makes, whether it is the leader or not. */
  readonly unfenced: ClusterClients;
  readonly #toClose: Pick<Connection, "close">[] = [];
  readonly #stopping = new AbortController();
  readonly #events: EventRecorders;

  /**
   * Without a connection, the default one is determined on first use, which then throws any error.
   *
   * @throws {RangeError} for invalid options of the cache
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
    this.apiReader = fence ? shared.with({ fence }) : shared;
    this.client = fence ? newClient(this.apiReader, this.cache) : this.unfenced.client;
    this.#events = new EventRecorders(live, { clock, logger, api: options.eventsApi });
  }

  /** Returns a recorder that writes events in the name of `controller`, with the default API or a given one. */
  recorderFor(controller: string, api?: EventsApi): EventRecorder {
    return this.#events.recorder(controller, api);
  }

  /**
   * Runs the cache until the signal aborts, then closes the cluster.
   *
   * @param ending when it aborts, all waits end: waits for the cache (see `InformerCache.run`), and the clients' waits before they
   * retry a request that the API server deferred
   *
   */
  async run(signal: AbortSignal, ending?: AbortSignal): Promise<void> {
    try {
      void this.apiReader.connection.settings; // reports a missing connection here
      await this.#run(signal, ending);
    } finally {
      await this.close();
    }
  }

  /** Resolves when the cache has synced, or the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.cache.waitForSync(signal);
  }

  /** Runs only the cache, for callers that close the cluster later. */
  get cacheRunnable(): Runnable {
    const { cache, group } = this;
    const describe = (): RunnableDescription => ({ caches: cache.describe() });
    return {
      name: "cache",
      group,
      run: (signal, ending) => this.#run(signal, ending),
      ready: (signal) => this.ready(signal),
      describe,
      inspect: () => ({ kinds: cache.inspect() }),
    };
  }

  /**
   * Stops the recorders, after one more try to write pending events, and closes the client if it was made here.
   *
   * @param eventsTimeoutMs maximum time for that try, in milliseconds. Default 5,000
   */
  async close(eventsTimeoutMs?: number): Promise<void> {
    await this.#events.stop(eventsTimeoutMs);
    for (const one of this.#toClose) await one.close();
  }

  async #run(signal: AbortSignal, ending = signal): Promise<void> {
    const end = (): void => this.#stopping.abort();
    if (ending.aborted) end();
    ending.addEventListener("abort", end, { once: true });
    await this.cache.run(signal, ending);
  }
}

/** API for events: see `EventBroadcasterOptions.api`. */
export type EventsApi = "events.k8s.io/v1" | "v1";

/** Recorders of both APIs. Nothing is started before the first event. */
class EventRecorders {
  readonly #broadcasters: Readonly<Record<EventsApi, EventBroadcaster>>;
  readonly #usual: EventsApi;

  constructor(
    sink: EventSink,
    options: { readonly clock: Clock; readonly logger: Logger; readonly api?: EventsApi | undefined },
  ) {
    const { api = "events.k8s.io/v1", ...others } = options;
    const broadcaster = (of: EventsApi): EventBroadcaster => new EventBroadcaster({ sink, ...others, api: of });
    this.#broadcasters = { "events.k8s.io/v1": broadcaster("events.k8s.io/v1"), v1: broadcaster("v1") };
    this.#usual = api;
  }

  /** Returns a recorder that writes events in the name of `controller`. */
  recorder(controller: string, api: EventsApi = this.#usual): EventRecorder {
    return this.#broadcasters[api].recorder(controller);
  }

  /** Tries once more to write pending events, for at most this time, and ends. */
  async stop(timeoutMs?: number): Promise<void> {
    await Promise.all(Object.values(this.#broadcasters).map((broadcaster) => broadcaster.stop(timeoutMs)));
  }
}
