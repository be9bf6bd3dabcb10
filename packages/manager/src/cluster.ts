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
import type { EventRecorder } from "@kubewright/recorder";
import { EventRecorders, type EventsApi } from "./event-recorders.ts";
import type { RunnableDescription } from "./runnable/description.ts";
import type { Runnable } from "./runnable/runnable.ts";

/**
 * How the cache of a cluster is made: kinds, namespaces, resync and the rest. Client, clock and logger are the cluster's.
 *
 * @see controller-runtime pkg/cache Options
 */
export type CacheOptions = Omit<InformerCacheOptions, "client" | "clock" | "logger">;

/**
 * Where a cluster is, and what its client and cache are made of.
 *
 * @see controller-runtime pkg/cluster Options
 */
export interface ClusterOptions {
  /** Default: as kubectl finds it. */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Instead of a client made from the connection; it stays yours to close. */
  readonly client?: Client | undefined;
  /**
   * Makes what `client` is, of one that reads live and of the cache. Default: reads from the cache, writes with the other. With a
   * `fence` it is called once more, for what is not fenced.
   */
  readonly newClient?: ((live: Client, cache: InformerCache) => CachedReadWriter) | undefined;
  /** Instead of a cache of all namespaces. */
  readonly cache?: InformerCache | undefined;
  /** What the cache made here keeps, and how. */
  readonly cacheOptions?: CacheOptions | undefined;
  /** Makes the cache of the options that it would have. */
  readonly newCache?: ((options: InformerCacheOptions) => InformerCache) | undefined;
  /** Kinds that `client` reads from the API server, whatever their version. Default: none, all are read from the cache. */
  readonly uncached?: readonly Pick<Kind, "group" | "kind">[] | undefined;
  /** Owner of the fields that the client's writes set. */
  readonly fieldOwner?: string | undefined;
  /** Which API tells of events, where a recorder is not asked for by its API. Default `events.k8s.io/v1`. */
  readonly eventsApi?: EventsApi | undefined;
  /** What writes pass through. For a further cluster that only the leader writes to: `manager.fence`. */
  readonly fence?: Fence | undefined;
  /** Where the informers of a cache made here report to. */
  readonly informerMetrics?: InformerMetricsProvider | undefined;
  /** Default: warnings and errors go to standard error, a readable line each; `silentLogger` silences. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** The two ways to read, with the same writes. */
export interface ClusterClients {
  /** Reads from the cache, writes to the API server; `caughtUp` waits for the one to show the other. */
  readonly client: CachedReadWriter;
  /** Reads and writes live. */
  readonly apiReader: Client;
}

/**
 * One cluster: a client, a cache that fills as kinds are asked for, and recorders of events. It runs alone, or added to a manager
 * with the caches. Constructing it starts nothing.
 *
 * @see controller-runtime pkg/cluster
 */
export class Cluster implements ClusterClients, Runnable {
  readonly name = "cluster";
  readonly group = "caches";
  readonly apiReader: Client;
  /** What `client` reads from; it runs with the cluster. */
  readonly cache: InformerCache;
  readonly client: CachedReadWriter;
  /** The same clients without the fence: what every process writes, whether it leads or not. */
  readonly unfenced: ClusterClients;
  readonly #toClose: Pick<Connection, "close">[] = [];
  readonly #ending = new AbortController();
  readonly #events: EventRecorders;

  /**
   * A connection that is not given is looked for when it is needed, and throws then.
   *
   * @throws {RangeError} for options of the cache that cannot be meant
   */
  constructor(options: ClusterOptions) {
    for (const name of ["cacheOptions", "newCache"] as const)
      if (options.cache && options[name])
        throw new RangeError(
          `${name}: has no effect on the cache that is given as \`cache\`; give one of the two only`,
        );
    const { clock = systemClock, fieldOwner, fence, informerMetrics: metrics } = options;
    const logger = safeLogger(options.logger ?? defaultLogger());
    const { connection = Connection.fromDefault({ lazy: true, logger, clock }) } = options;
    const live = options.client ?? new Client({ connection, logger, clock, fieldOwner });
    if (!options.client) this.#toClose.push(live);
    if (!options.client && !options.connection && connection instanceof Connection) this.#toClose.push(connection);
    const { newCache = (wanted) => new InformerCache(wanted), cacheOptions, uncached } = options;
    const { newClient = (reader, cache) => withReader(reader, cache, { uncached }) } = options;
    this.cache =
      options.cache ??
      newCache({ client: live, clock, logger, ...cacheOptions, metrics: cacheOptions?.metrics ?? metrics });
    const shared = live.with({ retryUntil: this.#ending.signal });
    this.unfenced = { apiReader: shared, client: newClient(shared, this.cache) };
    this.apiReader = fence ? shared.with({ fence }) : shared;
    this.client = fence ? newClient(this.apiReader, this.cache) : this.unfenced.client;
    this.#events = new EventRecorders(live, { clock, logger, api: options.eventsApi });
  }

  /** Tells of events in the name of `controller`, with the usual API or a given one. */
  recorderFor(controller: string, api?: EventsApi): EventRecorder {
    return this.#events.recorder(controller, api);
  }

  /**
   * Runs the cache until the signal aborts, then closes.
   *
   * @param ending when it aborts, nobody waits any more: neither for the cache (see `InformerCache.run`) nor, in the clients, to send a
   * request again that the API server put off
   */
  async run(signal: AbortSignal, ending?: AbortSignal): Promise<void> {
    try {
      void this.apiReader.connection.settings; // so that a connection that is not found is said here
      await this.#run(signal, ending);
    } finally {
      await this.close();
    }
  }

  /** Resolves when the cache has synced, or the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.cache.waitForSync(signal);
  }

  /** For whoever closes it later: runs the cache alone. */
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
   * Ends the recorders, after one more try to write what waits, and closes the client if it was made here.
   *
   * @param eventsTimeoutMs how long that try may take. Default 5,000
   */
  async close(eventsTimeoutMs?: number): Promise<void> {
    await this.#events.stop(eventsTimeoutMs);
    for (const one of this.#toClose) await one.close();
  }

  async #run(signal: AbortSignal, ending = signal): Promise<void> {
    const end = (): void => this.#ending.abort();
    if (ending.aborted) end();
    ending.addEventListener("abort", end, { once: true });
    await this.cache.run(signal, ending);
  }
}
