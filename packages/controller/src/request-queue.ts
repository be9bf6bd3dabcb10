import type { Clock } from "@kubewright/clock";
import {
  defaultControllerRateLimiter,
  exponentialFailure,
  PriorityQueue,
  type QueueMetricsProvider,
  type RateLimiter,
  RateLimitingQueue,
} from "@kubewright/workqueue";
import type { Cause, Request } from "./request.ts";

/**
 * Options for adding a request: its priority, delay and cause. {@link firstComeFirstServed} ignores the priority.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface AddOptions {
  /** Priority of the request; requests with a higher priority come first. Default 0. */
  readonly priority?: number | undefined;
  /** Minimum delay in milliseconds. Default 0. */
  readonly afterMs?: number | undefined;
  /**
   * True to apply the rate limiter's delay. If `afterMs` is also set, {@link prioritizing} uses the shorter delay, and {@link
   * firstComeFirstServed} uses the rate limiter's delay. Default false.
   */
  readonly rateLimited?: boolean | undefined;
  /** Cause that `causesOf` returns. Default: none. */
  readonly cause?: Cause | undefined;
}

/** A request taken from the queue, and the priority it had there. */
export interface PrioritizedRequest<R> {
  readonly item: R;
  readonly priority: number;
}

/** The members of a queue that a controller needs. Both upstream queues provide them. */
export interface RequestQueue<R = Request> {
  add(request: R, options?: AddOptions): void;
  /** Returns the next request if one is ready. */
  tryGet(): PrioritizedRequest<R> | undefined;
  /** Resolves to the next request once one is ready, or to `undefined` when the queue is shut down. */
  get(): Promise<PrioritizedRequest<R> | undefined>;
  /** Marks a request as no longer in progress. If it was added in the meantime, the queue returns it again. */
  done(request: R): void;
  /** Marks a request in progress as waiting. The time until `done` then does not count as work. */
  hold?(request: R): void;
  /** Resets the rate limiter for a request after a success. */
  forget(request: R): void;
  /** Returns the number of times that the rate limiter has delayed a request since it was last forgotten. */
  numRequeues(request: R): number;
  /** Returns the causes of a request that is in progress or waiting: oldest first, limited in number, without duplicates. */
  causesOf(request: R): readonly Cause[];
  /** Rejects further requests and ends every waiting `get`. */
  shutDown(): void;
  /** Number of requests that are ready and not in progress. */
  readonly size: number;
  /** Yields the waiting requests for inspection, in no particular order. Times are monotonic milliseconds of the clock. */
  waiting?(): Iterable<WaitingRequest<R>>;
}

/** A request waiting in a queue. */
export interface WaitingRequest<R = Request> extends PrioritizedRequest<R> {
  /** Time at which the request becomes ready. Absent if it is ready. */
  readonly dueMs?: number | undefined;
  /** Time at which the request became ready, if known. */
  readonly readySinceMs?: number | undefined;
}

/** Options that a controller passes to {@link NewQueue}. */
export interface RequestQueueOptions<R = Request> {
  /** Name of the controller. */
  readonly name: string;
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter<R>;
  readonly metrics?: QueueMetricsProvider | undefined;
  /** Called after a request has been added with a cause. */
  readonly onCause?: ((request: R, cause: Cause) => void) | undefined;
}

/** Creates the queue of one controller. */
export type NewQueue<R = Request> = (options: RequestQueueOptions<R>) => RequestQueue<R>;

/**
 * Returns the default rate limiter. Each request's delay doubles from 5 ms up to 1,000 s. Without priorities, retries are also limited to
 * 10 per second overall, with a burst of 100.
 */
export const defaultRateLimiter = (priority: boolean, clock: Clock): RateLimiter =>
  priority ? exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }) : defaultControllerRateLimiter({ clock });

/** Creates a queue that returns changed objects before those that already existed at the start. */
export function prioritizing<R = Request>(options: RequestQueueOptions<R>): RequestQueue<R> {
  const queue = new PriorityQueue<R, Cause>({ ...options, causeKey });
  return {
    add: (request, add = {}) => {
      queue.addWithOptions(add, request);
      if (add.cause) options.onCause?.(request, add.cause);
    },
    tryGet: queue.tryGetWithPriority.bind(queue),
    get: () => queue.getWithPriority(),
    done: queue.done.bind(queue),
    hold: queue.hold.bind(queue),
    forget: queue.forget.bind(queue),
    numRequeues: queue.numRequeues.bind(queue),
    causesOf: queue.causesOf.bind(queue),
    shutDown: queue.shutDown.bind(queue),
    waiting: queue.waiting.bind(queue),
    get size() {
      return queue.size;
    },
  };
}

/** Creates a queue without priorities. */
export function firstComeFirstServed<R = Request>(options: RequestQueueOptions<R>): RequestQueue<R> {
  const queue = new RateLimitingQueue<R, Cause>({ ...options, causeKey });
  return {
    add: (request, { afterMs = 0, rateLimited = false, cause } = {}) => {
      if (rateLimited) queue.addRateLimited(request, cause);
      else queue.addAfter(request, afterMs, cause);
      if (cause) options.onCause?.(request, cause);
    },
    tryGet: () => {
      const item = queue.tryGet();
      return item === undefined ? undefined : { item, priority: 0 };
    },
    get: async () => {
      const item = await queue.get();
      return item === undefined ? undefined : { item, priority: 0 };
    },
    done: queue.done.bind(queue),
    hold: queue.hold.bind(queue),
    forget: queue.forget.bind(queue),
    numRequeues: queue.numRequeues.bind(queue),
    causesOf: queue.causesOf.bind(queue),
    shutDown: queue.shutDown.bind(queue),
    get size() {
      return queue.size;
    },
  };
}

/** Returns a key by which causes that differ only in their version are merged. The latest one is retained. */
const causeKey = ({ source, type, key }: Cause): string => `${source}\u0000${type}\u0000${key}`;
