import { InformerCache, type InformerCacheOptions, type InformerMetricsProvider } from "@kubewright/cache";
import {
  type CachedReadWriter,
  Client,
  Connection,
  type ConnectionSettings,
  type Fence,
  withReader,
} from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Runnable } from "./runnable/runnable.ts";

export type CacheOptions = Omit<InformerCacheOptions, "client" | "clock" | "logger">;

export interface ClusterOptions {
  /** Default: as kubectl finds it. */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Instead of a client made from the connection; it stays yours to close. */
  readonly client?: Client | undefined;
  readonly cache?: InformerCache | undefined;
  readonly cacheOptions?: CacheOptions | undefined;
  readonly fieldOwner?: string | undefined;
  /** What writes pass through. For a further cluster that only the leader writes to: `manager.fence`. */
  readonly fence?: Fence | undefined;
  /** Where the informers of a cache made here report to. */
  readonly informerMetrics?: InformerMetricsProvider | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The two ways to read, with the same writes. */
export interface ClusterClients {
  /** Reads from the cache, writes to the API server; `caughtUp` waits for the one to show the other. */
  readonly client: CachedReadWriter;
  /** Reads and writes live. */
  readonly apiReader: Client;
}

/**
 * One cluster: a client, and a cache that fills as kinds are asked for.
 *
 * @see controller-runtime pkg/cluster
 */
export class Cluster implements ClusterClients {
  readonly apiReader: Client;
  readonly cache: InformerCache;
  readonly client: CachedReadWriter;
  /** The same clients without the fence: what every process writes, whether it leads or not. */
  readonly unfenced: ClusterClients;
  readonly #ownsClient: boolean;

  /** @throws {Error} if no connection is given and none is found */
  constructor(options: ClusterOptions) {
    const { logger, clock, fieldOwner, fence, informerMetrics: metrics } = options;
    this.#ownsClient = options.client === undefined;
    const live =
      options.client ??
      new Client({
        connection: options.connection ?? Connection.fromDefault({ logger, clock }),
        logger,
        clock,
        fieldOwner,
      });
    this.cache =
      options.cache ??
      new InformerCache({
        client: live,
        clock,
        logger,
        ...options.cacheOptions,
        metrics: options.cacheOptions?.metrics ?? metrics,
      });
    this.unfenced = { apiReader: live, client: withReader(live, this.cache) };
    this.apiReader = fence ? live.with({ fence }) : live;
    this.client = fence ? withReader(this.apiReader, this.cache) : this.unfenced.client;
  }

  /** For a manager: runs the cache, and is ready when it has synced. */
  get cacheRunnable(): Runnable {
    const { cache } = this;
    return {
      name: "cache",
      group: "caches",
      run: (signal) => cache.run(signal),
      ready: async (signal) => {
        await cache.waitForSync(signal);
      },
    };
  }

  /** Closes the client, if it was made here. */
  async close(): Promise<void> {
    if (this.#ownsClient) await this.unfenced.apiReader.close();
  }
}
