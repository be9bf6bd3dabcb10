import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Dispatcher } from "undici";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import type { Identity } from "../settings/credentials.ts";
import type { RequestObserver } from "./exchange.ts";

export interface ConnectionPoolsOptions {
  readonly settings: ConnectionSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout for establishing a connection, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs: number | undefined;
  /** Interval between pings, in milliseconds. Default 30,000; 0 disables pings. */
  readonly pingIntervalMs: number | false | undefined;
  /** True to use HTTP/2 if the server supports it. Applies only to the shared pool. Default true. */
  readonly http2: boolean | undefined;
  /** Observers of name lookups. */
  readonly observers: ReadonlySet<RequestObserver>;
}

/** Type of a pool. `direct` means HTTP/1.1, where a request is written to its socket synchronously. */
export type PoolUse = "shared" | "direct";

/** Maximum number of direct connections. A kube-apiserver allows as many streams on one HTTP/2 connection. */
const maxDirect = 100;

/** Time limit for requests of a previous identity. */
const formerIdentityMs = 30_000;

/** Pools of one identity, each created on first use. */
interface Pools extends Partial<Record<PoolUse, Promise<Dispatcher>>> {
  readonly identity: Identity;
  /** Ends all connections, including those being established, which destroying a dispatcher would not end. */
  readonly sockets: AbortController;
}

/** Connection pools for one API server. A previous identity's pools are closed once their requests have ended. */
export class ConnectionPools {
  readonly #options: ConnectionPoolsOptions;
  #present: Pools | undefined;
  /** Pools of previous identities that still have requests in progress. */
  readonly #former = new Set<Pools>();
  #closed = false;

  constructor(options: ConnectionPoolsOptions) {
    this.#options = options;
  }

  /** Returns the pool for an identity and use. @throws {Error} if the pools are closed */
  for(identity: Identity, use: PoolUse): Promise<Dispatcher> {
    if (this.#closed) throw new Error("the connection is closed");
    const pools = this.#poolsOf(identity);
    pools[use] ??= this.#open(pools, use);
    return pools[use];
  }

  /** Loads undici with the first request, because it accounts for a third of the cost of importing a client. */
  async #open({ identity, sockets }: Pools, use: PoolUse): Promise<Dispatcher> {
    const { settings, clock, connectTimeoutMs = 10_000, pingIntervalMs = 30_000, http2 = true } = this.#options;
    const { createDispatcher } = await import("./dispatcher.ts");
    return createDispatcher(settings, identity, {
      clock,
      connectTimeoutMs,
      pingIntervalMs,
      lookup: timedLookup(this.#options.observers, clock),
      ...(use === "shared" ? { http2 } : { http2: false, maxConnections: maxDirect }),
      closing: sockets.signal,
    });
  }

  /** Ends all connections, including those being established. A second call has no effect. */
  async close(): Promise<void> {
    this.#closed = true;
    const present = this.#present;
    this.#present = undefined;
    const dispatchers = await Promise.all(opened(present));
    const destroyed = dispatchers.map((dispatcher) => dispatcher.destroy());
    for (const pools of present ? [present, ...this.#former] : this.#former) pools.sockets.abort();
    await Promise.all(destroyed);
  }

  #poolsOf(identity: Identity): Pools {
    const present = this.#present;
    if (present && present.identity.certData === identity.certData && present.identity.keyData === identity.keyData)
      return present;
    this.#present = { identity, sockets: new AbortController() };
    if (present) this.#retire(present);
    return this.#present;
  }

  /**
   * Closes a previous identity's pools. Requests in progress with the previous certificate may finish. A watch would not end by itself, so
   * it is terminated, and its owner opens a new one.
   */
  #retire(former: Pools): void {
    const { clock, logger } = this.#options;
    this.#former.add(former);
    const timer = clock.after(formerIdentityMs, () => former.sockets.abort(), { unref: true });
    Promise.all(opened(former).map(async (dispatcher) => (await dispatcher).close()))
      .catch((err: unknown) => logger.debug({ err }, "failed to close connections"))
      .finally(() => {
        timer.cancel();
        this.#former.delete(former);
      });
  }
}

const opened = (pools: Pools | undefined): Promise<Dispatcher>[] =>
  [pools?.shared, pools?.direct].filter((pool) => pool !== undefined);

/** Returns a function that looks up names like Node's default and reports the duration to observers. IP addresses are not looked up. */
function timedLookup(observers: ReadonlySet<RequestObserver>, clock: Clock): LookupFunction {
  return (host, options, done) => {
    const began = clock.monotonic();
    lookup(host, options, (...outcome) => {
      const durationMs = clock.monotonic() - began;
      for (const observer of observers) observer.resolved?.({ host, durationMs });
      done(...outcome);
    });
  };
}
