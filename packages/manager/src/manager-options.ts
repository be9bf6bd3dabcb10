import type { ClusterOptions } from "./cluster.ts";
import type { HttpHandler } from "./http/http-server.ts";
import type { ServingTls } from "./http/serving-tls.ts";
import type { LeaderElectionOptions } from "./leader-election/leader-election-options.ts";
import type { PreflightOptions } from "./permissions/preflight.ts";
import type { WebhookOptions } from "./webhooks.ts";

export interface MetricsOptions {
  /** `"0"` switches the server off. Default `":8080"`. */
  readonly bindAddress?: string | undefined;
  /** Only bearers of a token that may read the path get an answer: asks the API server. Default false. */
  readonly authenticate?: boolean | undefined;
  /** PEM, or files that are watched: `{ certFile, keyFile }` or `{ dir }` with `tls.crt` and `tls.key`. Without it plain HTTP is spoken. */
  readonly tls?: ServingTls | undefined;
  /** Also how long the client's requests and name resolution take, how large and how often repeated they are. Default: their number. */
  readonly requestDetails?: boolean | undefined;
  /** More paths on the same server; see `Manager.addMetricsHandler`. */
  readonly extraHandlers?: Readonly<Record<string, HttpHandler>> | undefined;
}

/** Profiles for Node's own tools: `/debug/pprof/profile?seconds=30` and `/debug/pprof/heap`. They show what is in memory, secrets too. */
export interface ProfilingOptions {
  /** Default `"0"`: nowhere. */
  readonly bindAddress?: string | undefined;
  /** Only bearers of a token that may read the path get an answer: asks the API server. Default true. */
  readonly authenticate?: boolean | undefined;
  /** PEM, or files that are watched: `{ certFile, keyFile }` or `{ dir }` with `tls.crt` and `tls.key`. Without it plain HTTP is spoken. */
  readonly tls?: ServingTls | undefined;
}

export interface HealthOptions {
  /** Where `/healthz` and `/readyz` are served. Default `"0"`: nowhere. */
  readonly bindAddress?: string | undefined;
  /**
   * Adds the check `informers` to `/readyz`: it fails while a kind that is cached has not synced, or nothing was heard of it from
   * the server for longer than `maxAgeMs` (default 5 minutes; servers send a bookmark about once a minute). Default false.
   */
  readonly informers?: boolean | { readonly maxAgeMs?: number | undefined } | undefined;
}

/** Settings of controllers, for all that do not set them. @see controller-runtime pkg/config Controller */
export interface ControllerDefaults {
  readonly maxConcurrentReconciles?: number | undefined;
  /** By kind, as `ReplicaSet.apps` or `Pod`; wins over `maxConcurrentReconciles`. */
  readonly groupKindConcurrency?: Readonly<Record<string, number>> | undefined;
  readonly cacheSyncTimeoutMs?: number | undefined;
  readonly reconciliationTimeoutMs?: number | undefined;
  readonly recoverPanic?: boolean | undefined;
  readonly needLeaderElection?: boolean | undefined;
  readonly enableWarmup?: boolean | undefined;
  readonly priority?: boolean | undefined;
  readonly readYourOwnWrites?: boolean | { readonly timeoutMs?: number | undefined } | undefined;
  /** Let two controllers have the same name. Default false. */
  readonly skipNameValidation?: boolean | undefined;
}

/** @see controller-runtime pkg/manager Options */
export interface ManagerOptions extends Omit<ClusterOptions, "fence" | "informerMetrics"> {
  /** Of the program, which its manifests are named by. Default: the id of leader election, else `controller`. */
  readonly name?: string | undefined;
  /** Absent: this process always leads. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  readonly metrics?: MetricsOptions | undefined;
  readonly health?: HealthOptions | undefined;
  readonly profiling?: ProfilingOptions | undefined;
  readonly controllerDefaults?: ControllerDefaults | undefined;
  /** Where webhooks are served, and with which certificate. Without webhooks nothing is. */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * Ask at the start whether this program is allowed what it says that it needs. A controller that is not stays off until it is, and
   * `/readyz` says which and why. Default false; `run` has it on.
   */
  readonly preflight?: boolean | PreflightOptions | undefined;
  /** How long runnables may take to end; 0 does not wait, a negative number waits without limit. Default 30,000 ms. */
  readonly gracefulShutdownTimeoutMs?: number | undefined;
}
