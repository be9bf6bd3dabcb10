import type { Kind, Permission, RESTMapper } from "@kubewright/apimachinery";
import type { Reader, ReadWriter } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { type EventRecorder, silentRecorder } from "@kubewright/recorder";
import type { QueueMetricsProvider, RateLimiter } from "@kubewright/workqueue";
import type { ControllerMetrics } from "./controller-metrics.ts";
import type { ExpectingCache } from "./read-your-own-writes.ts";
import type { Reconciler } from "./reconciler.ts";
import type { ReconcileRecorder } from "./recording.ts";
import type { Request } from "./request.ts";
import { defaultRateLimiter, firstComeFirstServed, type NewQueue, prioritizing } from "./request-queue.ts";
import type { Sharding } from "./sharded-work.ts";
import type { Source } from "./source.ts";

/**
 * Settings of a controller. Every field has a default.
 *
 * @see controller-runtime pkg/controller TypedOptions
 */
export interface CommonControllerOptions<R = Request> {
  /** Maximum number of concurrent reconciles. The same request is never reconciled concurrently with itself. Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /**
   * Rate limiter that determines the delays of retries. By default, each request's delay doubles from 5 ms up to 1,000 s. Without
   * priorities, retries are also limited to 10 per second overall, with a burst of 100.
   */
  readonly rateLimiter?: RateLimiter<R> | undefined;
  /** True to reconcile changed objects before those that existed at the start. Default true. */
  readonly priority?: boolean | undefined;
  /** Creates the queue; overrides `priority`. Use `prioritizing`, `firstComeFirstServed` or, for example, a wrapper around one of them. */
  readonly newQueue?: NewQueue<R> | undefined;
  /** Timeout in milliseconds after which a reconcile's signal aborts. Default `false`: no timeout. */
  readonly reconciliationTimeoutMs?: number | false | undefined;
  /**
   * True to share the work among all replicas if the manager has the `sharding` option. Each replica then reconciles
   * the requests of the shards that it holds, whether or not it is the leader. Reconcilers must write with the client
   * from their context, and must end when their signal aborts. Default false.
   */
  readonly sharded?: boolean | undefined;
  /** Timeout in milliseconds for the initial sync of the sources, after which `run` fails. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /**
   * True to handle a programming error in the reconciler, such as a `TypeError`, like any other error. False to let it end the controller.
   * Default true.
   */
  readonly recoverPanic?: boolean | undefined;
  /** True to run the controller only while this process is the leader. Default true. */
  readonly needLeaderElection?: boolean | undefined;
  /** True to allow another controller of the same manager to have the same name. Default false. */
  readonly skipNameValidation?: boolean | undefined;
  /** True to fill the queue before this process becomes the leader. Default false. */
  readonly enableWarmup?: boolean | undefined;
  /**
   * True to delay a reconcile until the cache shows the writes that the previous reconcile of the same request made
   * with the client in its context. If the cache does not show a write within `timeoutMs`, the object is read from the
   * server. The request waits in the queue without occupying a worker. Default true, with 10,000 ms.
   */
  readonly readYourOwnWrites?: boolean | { readonly timeoutMs?: number | undefined } | undefined;
}

/**
 * All options of a controller: settings, reconciler and dependencies. When you use a builder, it sets everything except
 * `reconcile`.
 */
export interface ControllerOptions<R = Request> extends CommonControllerOptions<R> {
  /** Name of the controller, unique in the program. It is a label of the controller's metrics. */
  readonly name: string;
  readonly reconcile: Reconciler<R>;
  /** Client for the reconciler and the handlers. */
  readonly client: ReadWriter;
  /** Provides handlers with the scopes of kinds. Default: none, so that every kind must have a `scope`. */
  readonly mapper?: RESTMapper | undefined;
  /** Cache that `client` reads from. `readYourOwnWrites` requires both `cache` and `liveReader`; otherwise, it is ignored. */
  readonly cache?: ExpectingCache | undefined;
  /** Reader that reads from the API server. */
  readonly liveReader?: Reader | undefined;
  /** Shards to which the controller is limited. Default: none, so that it reconciles all requests. */
  readonly sharding?: Sharding | undefined;
  /** Sources of events. `Controller.watch` adds further ones. Default: none. */
  readonly sources?: readonly Source<R>[] | undefined;
  /** Information that the sources do not contain; see `Controller.describe`. */
  readonly described?:
    | {
        /** Kind that the controller reconciles. */
        readonly for?: Kind | undefined;
        /** Kinds that the controller creates for the reconciled kind. */
        readonly owns?: readonly Kind[] | undefined;
        /** Additional permissions that the reconciler needs. */
        readonly permissions?: readonly Permission[] | undefined;
      }
    | undefined;
  /** Recorder for the reconciler. Default: Kubernetes Events are discarded. */
  readonly recorder?: EventRecorder | undefined;
  /** Logger. The controller adds the key `controller` to each line. Default: silent. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Creates the metrics for a controller. The controller's name becomes the label `controller`. Default: {@link
   * noMetrics}.
   */
  readonly metrics?: ((controllerName: string) => ControllerMetrics) | undefined;
  /** Creates the queue's metrics. Default: none. */
  readonly queueMetrics?: QueueMetricsProvider | undefined;
  /**
   * Holds the recorder that records reconciles. The recorder may be set and removed at any time. Default: nothing is
   * recorded.
   */
  readonly recording?: { readonly recorder?: ReconcileRecorder | undefined } | undefined;
}

/** Options with all defaults applied. */
export interface CompletedOptions<R> extends ControllerOptions<R> {
  readonly maxConcurrentReconciles: number;
  readonly rateLimiter: RateLimiter<R>;
  readonly newQueue: NewQueue<R>;
  readonly reconciliationTimeoutMs: number;
  readonly cacheSyncTimeoutMs: number;
  readonly recoverPanic: boolean;
  readonly needLeaderElection: boolean;
  readonly enableWarmup: boolean;
  /** Timeout of `readYourOwnWrites`. Absent if that option is disabled. */
  readonly ownWritesTimeoutMs: number | undefined;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Validates options and applies the defaults. @throws {Error} if the name or the reconciler is missing, or a number is invalid */
export function completed<R>(options: ControllerOptions<R>): CompletedOptions<R> {
  if (!options.name) throw new Error("must specify a name for the controller");
  if (!options.reconcile) throw new Error(`must specify a reconciler for controller "${options.name}"`);
  const { maxConcurrentReconciles = 1 } = options;
  if (!Number.isInteger(maxConcurrentReconciles) || maxConcurrentReconciles < 1)
    throw new RangeError(`maxConcurrentReconciles must be a whole number above 0, got ${maxConcurrentReconciles}`);
  const { cacheSyncTimeoutMs = 120_000, reconciliationTimeoutMs = false } = options;
  if (!(cacheSyncTimeoutMs > 0))
    throw new RangeError(`cacheSyncTimeoutMs must be above 0, got ${cacheSyncTimeoutMs}; omit it for the default`);
  if (reconciliationTimeoutMs !== false && !(reconciliationTimeoutMs > 0))
    throw new RangeError(
      `reconciliationTimeoutMs must be above 0, got ${reconciliationTimeoutMs}; set it to false for no timeout`,
    );
  const { priority = true, clock = systemClock } = options;
  return {
    ...options,
    maxConcurrentReconciles,
    rateLimiter: options.rateLimiter ?? defaultRateLimiter(priority, clock),
    newQueue: options.newQueue ?? (priority ? prioritizing : firstComeFirstServed),
    reconciliationTimeoutMs: reconciliationTimeoutMs || Number.POSITIVE_INFINITY,
    cacheSyncTimeoutMs,
    recoverPanic: options.recoverPanic ?? true,
    needLeaderElection: options.needLeaderElection ?? true,
    enableWarmup: options.enableWarmup ?? false,
    ownWritesTimeoutMs: ownWritesTimeout(options.readYourOwnWrites),
    recorder: options.recorder ?? silentRecorder,
    logger: safeLogger(options.logger ?? silentLogger).child({ controller: options.name }),
    clock,
  };
}

function ownWritesTimeout(setting: CommonControllerOptions["readYourOwnWrites"] = true): number | undefined {
  if (setting === false) return undefined;
  return (setting === true ? undefined : setting.timeoutMs) ?? 10_000;
}
