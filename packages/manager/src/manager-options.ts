import type { ClusterOptions } from "./cluster.ts";
import type { HttpHandler, ServingTls } from "./http-server.ts";
import type { LeaderElectionOptions } from "./leader-election.ts";
import type { PreflightOptions } from "./preflight.ts";
import type { WebhookOptions } from "./webhooks.ts";

/**
 * Options of `/metrics`: its address, and who may read it.
 *
 * @see controller-runtime pkg/metrics/server Options
 *
 */
export interface MetricsOptions {
  /** The server's address; `"0"` disables it. Default `":8080"`. */
  readonly bindAddress?: string | undefined;
  /** Requires a bearer token whose user may read the path, as reviewed by the API server. Default false. */
  readonly authenticate?: boolean | undefined;
  /**
   * Certificate as PEM, or files that are watched: `{ certFile, keyFile }` or `{ dir }` with `tls.crt` and `tls.key`. Without it, the
   * server uses plain HTTP.
   */
  readonly tls?: ServingTls | undefined;
  /** Measures also duration, name resolution, size and retries of the client's requests. Default false: only their number. */
  readonly requestDetails?: boolean | undefined;
  /** Further paths on the same server; see `Manager.addMetricsHandler`. */
  readonly extraHandlers?: Readonly<Record<string, HttpHandler>> | undefined;
}

/**
 * Profiles for Node's own tools: `/debug/pprof/profile?seconds=30` and `/debug/pprof/heap`. They contain memory contents, including
 * secrets.
 */
export interface ProfilingOptions {
  /** The server's address. Default `"0"`: disabled. */
  readonly bindAddress?: string | undefined;
  /** Requires a bearer token whose user may read the path, as reviewed by the API server. Default true. */
  readonly authenticate?: boolean | undefined;
  /**
   * Certificate as PEM, or files that are watched: `{ certFile, keyFile }` or `{ dir }` with `tls.crt` and `tls.key`. Without it, the
   * server uses plain HTTP.
   */
  readonly tls?: ServingTls | undefined;
}

/** Options of the health probes: their address and checks. */
export interface HealthOptions {
  /** Address of `/healthz` and `/readyz`. Default `"0"`: disabled. */
  readonly bindAddress?: string | undefined;
  /**
   * Adds the check `informers` to `/readyz`: it fails while a cached kind has not synced, or if the server has sent nothing for it for
   * longer than `maxAgeMs` (default 5 minutes; servers send a bookmark about once a minute). Default false.
   */
  readonly informers?: boolean | { readonly maxAgeMs?: number | undefined } | undefined;
}

/** Default settings for all controllers. @see controller-runtime pkg/config Controller */
export interface ControllerDefaults {
  /** Maximum number of concurrent reconciles per controller. Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /** Maximum number of concurrent reconciles by kind, as `ReplicaSet.apps` or `Pod`; overrides `maxConcurrentReconciles`. */
  readonly groupKindConcurrency?: Readonly<Record<string, number>> | undefined;
  /** Timeout in milliseconds for the sources to sync; afterwards, the controller fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Timeout in milliseconds after which the signal of a reconcile aborts. Default `false`: none. */
  readonly reconciliationTimeoutMs?: number | false | undefined;
  /** Handles a programming error in the reconciler like any other error, instead of ending the controller. Default true. */
  readonly recoverPanic?: boolean | undefined;
  /** Runs controllers only while this process is the leader. Default true. */
  readonly needLeaderElection?: boolean | undefined;
  /** Fills the queue before this process becomes the leader. Default false. */
  readonly enableWarmup?: boolean | undefined;
  /** Reconciles changed objects before those that existed at the start. Default true. */
  readonly priority?: boolean | undefined;
  /** Delays a reconcile until the cache shows what the previous one wrote, for at most `timeoutMs`. Default true, with 10,000 ms. */
  readonly readYourOwnWrites?: boolean | { readonly timeoutMs?: number | undefined } | undefined;
  /** Allows two controllers to have the same name. Default false. */
  readonly skipNameValidation?: boolean | undefined;
}

/**
 * A manager's options in addition to its cluster's: leader election, servers, and defaults for controllers. Every field has a
 * default.
 *
 * @see controller-runtime pkg/manager Options
 *
 */
export interface ManagerOptions extends Omit<ClusterOptions, "fence" | "informerMetrics"> {
  /** The program's name, used in its manifests. Default: the ID of leader election, otherwise `controller`. */
  readonly name?: string | undefined;
  /** Absent: this process is always the leader. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /** Options of `/metrics`. Default: served at `:8080` without authentication. */
  readonly metrics?: MetricsOptions | undefined;
  /** Options of the health probes. Default: not served. */
  readonly health?: HealthOptions | undefined;
  /** Options of the profiling endpoints. Default: not served. */
  readonly profiling?: ProfilingOptions | undefined;
  /** Defaults for the settings of this manager's controllers. */
  readonly controllerDefaults?: ControllerDefaults | undefined;
  /** Address and certificate of the webhook server. Without webhooks, there is no server. */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * Checks at the start whether this program has the permissions that it declares. A controller without its permissions starts once they
   * are granted, and `/readyz` reports what is missing. Default false; with `run`, true.
   */
  readonly preflight?: boolean | PreflightOptions | undefined;
  /** Time for runnables to end, in milliseconds; 0 does not wait, a negative number waits without limit. Default 30,000. */
  readonly gracefulShutdownTimeoutMs?: number | undefined;
}
