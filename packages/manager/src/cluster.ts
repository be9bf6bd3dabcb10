import { InformerCache, type InformerCacheOptions, type InformerMetricsProvider } from "@kubewright/cache";
import { type CachedReadWriter, Client, Connection, type ConnectionSettings, withReader } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Runnable } from "./runnable.ts";

export type CacheOptions = Omit<InformerCacheOptions, "client" | "clock" | "logger">;

export interface ClusterOptions {
  /** Default: as kubectl finds it. */
  readonly connection?: Connection | ConnectionSettings | undefined;
  /** Instead of a client made from the connection; it stays yours to close. */
  readonly client?: Client | undefined;
  readonly cache?: InformerCache | undefined;
  readonly cacheOptions?: CacheOptions | undefined;
  readonly fieldOwner?: string | undefined;
  /** Where the informers of a cache made here report to. */
  readonly informerMetrics?: InformerMetricsProvider | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * One cluster: a client, and a cache that fills as kinds are asked for.
 *
 * @see controller-runtime pkg/cluster
 */
export class Cluster {
  /** Reads and writes live. */
  readonly apiReader: Client;
  readonly cache: InformerCache;
  /** Reads from the cache, writes to the API server; `caughtUp` waits for the one to show the other. */
  readonly client: CachedReadWriter;
  readonly #ownsClient: boolean;

  /** @throws {Error} if no connection is given and none is found */
  constructor(options: ClusterOptions) {
    const { logger, clock, fieldOwner, informerMetrics: metrics } = options;
    this.#ownsClient = options.client === undefined;
    this.apiReader =
      options.client ??
      new Client({
        connection: options.connection ?? Connection.fromDefault({ logger, clock }),
        logger,
        clock,
        fieldOwner,
      });
    this.cache =
      options.cache ?? new InformerCache({ client: this.apiReader, clock, logger, metrics, ...options.cacheOptions });
    this.client = withReader(this.apiReader, this.cache);
  }

  /** For a manager: runs the cache, and is ready when it has synced. */
  get cacheRunnable(): Runnable {
    const { cache } = this;
    return {
      group: "caches",
      run: (signal) => cache.run(signal),
      ready: async (signal) => {
        await cache.waitForSync(signal);
      },
    };
  }

  /** Closes the client, if it was made here. */
  async close(): Promise<void> {
    if (this.#ownsClient) await this.apiReader.close();
  }
}
