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
 * Priority, delay and cause of an added request. {@link firstComeFirstServed} ignores the priority.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface AddOptions {
  /** Priority; higher comes first. Default 0. */
  readonly priority?: number | undefined;
  /** Minimum delay in milliseconds. Default 0. */
  readonly afterMs?: number | undefined;
  /**
   * Uses the rate limiter's delay. If `afterMs` is also given, {@link prioritizing} uses the shorter delay and {@link
   * firstComeFirstServed} uses the rate limiter's. Default false.
   *
   */
  readonly rateLimited?: boolean | undefined;
  /** Cause, for `causesOf`. Default: none. */
  readonly cause?: Cause | undefined;
}

/** A request and the priority with which it was taken. */
export interface Taken<R> {
  readonly item: R;
  readonly priority: number;
}

/** The part of a queue that a controller needs; satisfied by both of upstream's queues. */
export interface RequestQueue<R = Request> {
  add(request: R, options?: AddOptions): void;
  /** Returns the next request, if one is ready. */
  tryGet(): Taken<R> | undefined;
  /** Resolves to the next request once one is ready; to `undefined` when the queue is shut down. */
  get(): Promise<Taken<R> | undefined>;
  /** Marks a request as no longer in progress; if it was added meanwhile, it is returned again. */
  done(request: R): void;
  /** Marks a request that was taken as waiting: the time until `done` does not count as work. */
  hold?(request: R): void;
  /** Resets the rate limiter for a request after a success. */
  forget(request: R): void;
  /** Returns the number of times that the rate limiter has delayed a request since it was last forgotten. */
  numRequeues(request: R): number;
  /** Returns the causes of a request that is in progress or waiting. Oldest first, limited in number, without duplicates. */
  causesOf(request: R): readonly Cause[];
  /** Rejects further requests, and ends every waiting `get`. */
  shutDown(): void;
  /** Number of requests that are ready and not taken. */
  readonly size: number;
  /** Yields the waiting requests, in no particular order, for inspection. Times are the clock's monotonic milliseconds. */
  waiting?(): Iterable<WaitingRequest<R>>;
}

/** A request that waits in a queue. */
export interface WaitingRequest<R = Request> extends Taken<R> {
  /** Time at which it becomes ready. Absent if it is ready. */
  readonly dueMs?: number | undefined;
  /** Time since which it has been ready, if known. */
  readonly readySinceMs?: number | undefined;
}

/** Options that a controller passes to {@link NewQueue}. */
export interface RequestQueueOptions<R = Request> {
  /** The controller's name. */
  readonly name: string;
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter<R>;
  readonly metrics?: QueueMetricsProvider | undefined;
}

/** Creates the queue of one controller. */
export type NewQueue<R = Request> = (options: RequestQueueOptions<R>) => RequestQueue<R>;

/**
 * Returns the default rate limiter: per request, 5 ms doubling up to 1,000 s; without priorities, also 10 per second overall with a
 * burst of 100.
 *
 */
export const defaultRateLimiter = (priority: boolean, clock: Clock): RateLimiter =>
  priority ? exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }) : defaultControllerRateLimiter({ clock });

/** Creates a queue in which changed objects come before those that existed at the start. */
export function prioritizing<R = Request>(options: RequestQueueOptions<R>): RequestQueue<R> {
  const queue = new PriorityQueue<R, Cause>({ ...options, causeKey });
  return {
    add: (request, add = {}) => queue.addWithOptions(add, request),
    tryGet: () => queue.tryGetWithPriority(),
    get: () => queue.getWithPriority(),
    done: (request) => queue.done(request),
    hold: (request) => queue.hold(request),
    forget: (request) => queue.forget(request),
    numRequeues: (request) => queue.numRequeues(request),
    causesOf: (request) => queue.causesOf(request),
    shutDown: () => queue.shutDown(),
    waiting: () => queue.waiting(),
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
    },
    tryGet: () => {
      const item = queue.tryGet();
      return item === undefined ? undefined : { item, priority: 0 };
    },
    get: async () => {
      const item = await queue.get();
      return item === undefined ? undefined : { item, priority: 0 };
    },
    done: (request) => queue.done(request),
    hold: (request) => queue.hold(request),
    forget: (request) => queue.forget(request),
    numRequeues: (request) => queue.numRequeues(request),
    causesOf: (request) => queue.causesOf(request),
    shutDown: () => queue.shutDown(),
    get size() {
      return queue.size;
    },
  };
}

/** Returns a key by which causes that differ only in their version are merged; the latest is kept. */
const causeKey = ({ source, type, key }: Cause): string => `${source}\u0000${type}\u0000${key}`;
