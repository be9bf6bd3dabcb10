import type { RESTMapper } from "@kubewright/apimachinery";
import type { Reader, ReadWriter } from "@kubewright/client";
import { type Clock, systemClock } from "@kubewright/clock";
import { type Logger, safeLogger, silentLogger } from "@kubewright/log";
import { type EventRecorder, silentRecorder } from "@kubewright/recorder";
import type { QueueMetricsProvider, RateLimiter } from "@kubewright/workqueue";
import type { ExpectingCache } from "../own-writes/expectations.ts";
import type { ControllerMetricsProvider } from "../reconcile/controller-metrics.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import type { Request } from "../reconcile/request.ts";
import { defaultRateLimiter, firstComeFirstServed, type NewQueue, prioritizing } from "../reconcile/request-queue.ts";
import type { Source } from "../source/source.ts";
import type { DescribedParts } from "./controller-description.ts";

/**
 * How a controller works; every field has a default.
 *
 * @see controller-runtime pkg/controller TypedOptions
 */
export interface ControllerSettings<R = Request> {
  /** So many requests are worked on at a time, never the same one twice. Default 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /** Default: per request 5 ms doubling to 1000 s; without priorities also 10 a second over all, 100 at once. */
  readonly rateLimiter?: RateLimiter<R> | undefined;
  /** Work on what changed before what was there at the start. Default true. */
  readonly priority?: boolean | undefined;
  /** Makes the queue, instead of what `priority` says: `prioritizing` or `firstComeFirstServed` with something around it, say. */
  readonly newQueue?: NewQueue<R> | undefined;
  /** The signal of a reconcile aborts after so long. Default 0: never. */
  readonly reconciliationTimeoutMs?: number | undefined;
  /** Start fails when the sources have not synced within this time. Default 120,000 ms, which 0 stands for as well. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Go on after a mistake in the reconciler (a `TypeError`, say) as after any error, instead of ending the controller. Default true. */
  readonly recoverPanic?: boolean | undefined;
  /** Work only while this process leads. Default true. */
  readonly needLeaderElection?: boolean | undefined;
  /** Let another controller of the same manager have the same name. Default false. */
  readonly skipNameValidation?: boolean | undefined;
  /** Fill the queue before this process leads. Default false. */
  readonly enableWarmup?: boolean | undefined;
  /**
   * Begin no reconcile before the cache shows what the one before it of the same request wrote through its context's client, and
   * read live what is not shown `timeoutMs` after it was written. The request waits in the queue, not with a worker. Default true,
   * 10,000 ms.
   */
  readonly readYourOwnWrites?: boolean | { readonly timeoutMs?: number | undefined } | undefined;
}

/** A controller whole: its settings, what it reconciles by, and what it is handed. A builder fills in all but `reconcile`. */
export interface ControllerOptions<R = Request> extends ControllerSettings<R> {
  /** Unique in the program: the label of its metrics. */
  readonly name: string;
  readonly reconcile: Reconciler<R>;
  /** What reconcilers and handlers are handed. */
  readonly client: ReadWriter;
  /** Tells handlers which kinds are in namespaces. Default: none, and kinds must have a `scope`. */
  readonly mapper?: RESTMapper | undefined;
  /** Where `client` reads from. Without it and `liveReader`, `readYourOwnWrites` does nothing. */
  readonly cache?: ExpectingCache | undefined;
  /** Reads from the API server. */
  readonly liveReader?: Reader | undefined;
  /** Where its events come from; `Controller.watch` adds more. Default: none. */
  readonly sources?: readonly Source<R>[] | undefined;
  /** What cannot be told from its sources; see `Controller.describe`. */
  readonly described?: DescribedParts | undefined;
  /** Default: Kubernetes Events go nowhere. */
  readonly recorder?: EventRecorder | undefined;
  /** Gets the key `controller`. Default: silent. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Default: {@link noMetrics}. */
  readonly metrics?: ControllerMetricsProvider | undefined;
  /** Told of what the queue does. Default: nobody is. */
  readonly queueMetrics?: QueueMetricsProvider | undefined;
}

/** Options with every default in place. */
export interface CompletedOptions<R> extends ControllerOptions<R> {
  readonly maxConcurrentReconciles: number;
  readonly rateLimiter: RateLimiter<R>;
  readonly newQueue: NewQueue<R>;
  readonly reconciliationTimeoutMs: number;
  readonly cacheSyncTimeoutMs: number;
  readonly recoverPanic: boolean;
  readonly needLeaderElection: boolean;
  readonly enableWarmup: boolean;
  /** Of `readYourOwnWrites`; absent where that is off. */
  readonly ownWritesTimeoutMs: number | undefined;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** @throws {Error} if the name or the reconciler is missing, or a number makes no sense */
export function completed<R>(options: ControllerOptions<R>): CompletedOptions<R> {
  if (!options.name) throw new Error("must specify a name for the controller");
  if (!options.reconcile) throw new Error(`must specify a reconciler for controller "${options.name}"`);
  const { maxConcurrentReconciles = 1 } = options;
  if (!Number.isInteger(maxConcurrentReconciles) || maxConcurrentReconciles < 1)
    throw new RangeError(`maxConcurrentReconciles must be a whole number above 0, got ${maxConcurrentReconciles}`);
  const { cacheSyncTimeoutMs = 0 } = options;
  if (!(cacheSyncTimeoutMs >= 0))
    throw new RangeError(`cacheSyncTimeoutMs must not be below 0, got ${cacheSyncTimeoutMs}`);
  const { priority = true, clock = systemClock } = options;
  return {
    ...options,
    maxConcurrentReconciles,
    rateLimiter: options.rateLimiter ?? defaultRateLimiter(priority, clock),
    newQueue: options.newQueue ?? (priority ? prioritizing : firstComeFirstServed),
    reconciliationTimeoutMs: options.reconciliationTimeoutMs ?? 0,
    cacheSyncTimeoutMs: cacheSyncTimeoutMs || 120_000,
    recoverPanic: options.recoverPanic ?? true,
    needLeaderElection: options.needLeaderElection ?? true,
    enableWarmup: options.enableWarmup ?? false,
    ownWritesTimeoutMs: ownWritesTimeout(options.readYourOwnWrites),
    recorder: options.recorder ?? silentRecorder,
    logger: safeLogger(options.logger ?? silentLogger).child({ controller: options.name }),
    clock,
  };
}

function ownWritesTimeout(setting: ControllerSettings["readYourOwnWrites"] = true): number | undefined {
  if (setting === false) return undefined;
  return (setting === true ? undefined : setting.timeoutMs) ?? 10_000;
}
