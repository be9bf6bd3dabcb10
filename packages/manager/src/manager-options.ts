import type { RecorderOptions } from "@kubewright/replay/recording";
import type { ClusterOptions } from "./cluster.ts";
import type { HttpHandler, ServingTls } from "./http-server.ts";
import type { LeaderElectionOptions, ShardingOptions } from "./leader-election.ts";
import type { PreflightOptions } from "./preflight.ts";
import type { WebhookOptions } from "./webhooks.ts";

/**
 * Address, authentication and TLS settings for `/metrics`.
 *
 * @see controller-runtime pkg/metrics/server Options
 */
export interface MetricsOptions {
  /** Address of the server. `"0"` disables it. Default `":8080"`. */
  readonly bindAddress?: string | undefined;
  /** True to require a bearer token whose user may read the path. The API server reviews the token and its access. Default false. */
  readonly authenticate?: boolean | undefined;
  /**
   * Certificate as PEM text, or files that are watched: `{ certFile, keyFile }`, or `{ dir }` with `tls.crt` and `tls.key`.
   * `"self-signed"` creates a certificate at each start. Without a certificate, the server uses plain HTTP.
   */
  readonly tls?: ServingTls | undefined;
  /**
   * True to measure duration, name resolution, size and retries of the client's requests. Default false: only the number of requests is
   * counted.
   */
  readonly requestDetails?: boolean | undefined;
  /** Additional paths on the same server; see `Manager.addMetricsHandler`. */
  readonly extraHandlers?: Readonly<Record<string, HttpHandler>> | undefined;
}

/**
 * Options for profiles in Node's own formats: `/debug/pprof/profile?seconds=30` and `/debug/pprof/heap`. Profiles may
 * contain secrets, because they include memory contents.
 */
export interface ProfilingOptions {
  /** Address of the server. Default `"0"`: disabled. */
  readonly bindAddress?: string | undefined;
  /** True to require a bearer token whose user may read the path. The API server reviews the token and its access. Default true. */
  readonly authenticate?: boolean | undefined;
  /**
   * Certificate as PEM text, or files that are watched: `{ certFile, keyFile }`, or `{ dir }` with `tls.crt` and `tls.key`.
   * `"self-signed"` creates a certificate at each start. Without a certificate, the server uses plain HTTP.
   */
  readonly tls?: ServingTls | undefined;
}

/** Options for the health probes: their address and checks. */
export interface HealthOptions {
  /** Address of `/healthz` and `/readyz`. Default `"0"`: disabled. */
  readonly bindAddress?: string | undefined;
  /**
   * True to add the `informers` check to `/readyz`. It fails while a cached kind has not synced, or if the server has
   * sent nothing for the kind for longer than `maxAgeMs` (default 5 minutes; servers send a bookmark about once a
   * minute). Default false.
   */
  readonly informers?: boolean | { readonly maxAgeMs?: number | undefined } | undefined;
}

/** Default settings for all controllers. @see controller-runtime pkg/config Controller */
export interface ControllerDefaults {
  /** Maximum number of concurrent reconciles per controller. Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /**
   * Maximum numbers of concurrent reconciles, keyed by kind, such as `ReplicaSet.apps` or `Pod`. Overrides
   * `maxConcurrentReconciles`.
   */
  readonly groupKindConcurrency?: Readonly<Record<string, number>> | undefined;
  /** Timeout in milliseconds for the initial sync of the sources, after which the controller fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Timeout in milliseconds after which a reconcile's signal aborts. Default `false`: no timeout. */
  readonly reconciliationTimeoutMs?: number | false | undefined;
  /** True to handle a programming error in the reconciler like any other error. False to let it end the controller. Default true. */
  readonly recoverPanic?: boolean | undefined;
  /** True to run controllers only while this process is the leader. Default true. */
  readonly needLeaderElection?: boolean | undefined;
  /** True to fill the queue before this process becomes the leader. Default false. */
  readonly enableWarmup?: boolean | undefined;
  /** True to reconcile changed objects before objects that existed at the start. Default true. */
  readonly priority?: boolean | undefined;
  /** True to delay a reconcile until the cache shows the previous one's writes, for at most `timeoutMs`. Default true, with 10,000 ms. */
  readonly readYourOwnWrites?: boolean | { readonly timeoutMs?: number | undefined } | undefined;
  /** True to allow two controllers to have the same name. Default false. */
  readonly skipNameValidation?: boolean | undefined;
}

/**
 * Options for a manager: those of its cluster, and leader election, servers and controller defaults. Every field has a
 * default.
 *
 * @see controller-runtime pkg/manager Options
 */
export interface ManagerOptions extends Omit<ClusterOptions, "fence" | "informerMetrics"> {
  /** Name of the program, used in its manifests. Default: the leader election ID up to its first dot, otherwise `controller`. */
  readonly name?: string | undefined;
  /** Options for leader election. If absent, this process is always the leader. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /**
   * Shares the work of controllers with the `sharded` option among all replicas, by Leases in the cluster. Everything
   * else still runs on every replica or on the leader. Default: none, so that such controllers run on the leader.
   */
  readonly sharding?: ShardingOptions | undefined;
  /** Options for `/metrics`. By default, metrics are served at `:8080` without authentication. */
  readonly metrics?: MetricsOptions | undefined;
  /** Options for the health probes. By default, they are not served. */
  readonly health?: HealthOptions | undefined;
  /** Options for the profiling endpoints. By default, they are not served. */
  readonly profiling?: ProfilingOptions | undefined;
  /** Default settings for this manager's controllers. */
  readonly controllerDefaults?: ControllerDefaults | undefined;
  /** Address and certificate of the webhook server. Without webhooks, no server is started. */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * True to check at the start whether this program has the permissions that it declares. A controller that lacks permissions starts once
   * they are granted, and `/readyz` reports the missing permissions. Default false, or true with `run`.
   */
  readonly preflight?: boolean | PreflightOptions | undefined;
  /**
   * Records the most recent reconciles in memory, for `kubewright replay`. A recording is saved when the process
   * receives SIGUSR2, and at the first programming error in a reconciler. It contains objects from the cluster, but not
   * the data in Secrets. By default, nothing is recorded.
   */
  readonly recorder?: RecorderOptions | undefined;
  /** Time in milliseconds for runnables to end. 0 means no waiting, Infinity no limit. Default 30,000. */
  readonly gracefulShutdownTimeoutMs?: number | undefined;
}
