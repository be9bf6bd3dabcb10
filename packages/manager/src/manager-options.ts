import type { ClusterOptions } from "./cluster.ts";
import type { HttpHandler } from "./http/http-server.ts";
import type { ServingTls } from "./http/serving-tls.ts";
import type { LeaderElectionOptions } from "./leader-election/leader-election-options.ts";
import type { PreflightOptions } from "./permissions/preflight.ts";
import type { WebhookOptions } from "./webhooks.ts";

/**
 * Where and to whom `/metrics` is served.
 *
 * @see controller-runtime pkg/metrics/server Options
 */
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

/** Where a cluster asks whether the program is well, and what that takes. */
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
  /** So many requests of one controller are worked on at a time. Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /** By kind, as `ReplicaSet.apps` or `Pod`; wins over `maxConcurrentReconciles`. */
  readonly groupKindConcurrency?: Readonly<Record<string, number>> | undefined;
  /** Start fails when the sources have not synced within this time. Default 120,000 ms. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** The signal of a reconcile aborts after so long. Default 0: never. */
  readonly reconciliationTimeoutMs?: number | undefined;
  /** Go on after a mistake in the reconciler as after any error, instead of ending the controller. Default true. */
  readonly recoverPanic?: boolean | undefined;
  /** Work only while this process leads. Default true. */
  readonly needLeaderElection?: boolean | undefined;
  /** Fill the queue before this process leads. Default false. */
  readonly enableWarmup?: boolean | undefined;
  /** Work on what changed before what was there at the start. Default true. */
  readonly priority?: boolean | undefined;
  /** Begin no reconcile before the cache shows what the one before it wrote, or `timeoutMs` are over. Default true, 10,000 ms. */
  readonly readYourOwnWrites?: boolean | { readonly timeoutMs?: number | undefined } | undefined;
  /** Let two controllers have the same name. Default false. */
  readonly skipNameValidation?: boolean | undefined;
}

/**
 * What a manager is made of, beside its cluster: who leads, what is served, and what controllers begin with. Every field has a default.
 *
 * @see controller-runtime pkg/manager Options
 */
export interface ManagerOptions extends Omit<ClusterOptions, "fence" | "informerMetrics"> {
  /** Of the program, which its manifests are named by. Default: the id of leader election, else `controller`. */
  readonly name?: string | undefined;
  /** Absent: this process always leads. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /** Default: served at `:8080` to everybody. */
  readonly metrics?: MetricsOptions | undefined;
  /** Default: not served. */
  readonly health?: HealthOptions | undefined;
  /** Default: not served. */
  readonly profiling?: ProfilingOptions | undefined;
  /** What controllers of this manager have where they do not say. */
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
