import type { Clock } from "@kubewright/clock";
import {
  defaultControllerRateLimiter,
  exponentialFailure,
  PriorityQueue,
  type QueueMetricsProvider,
  type RateLimiter,
  RateLimitingQueue,
} from "@kubewright/workqueue";
import { type Cause, causeKey } from "./cause.ts";
import type { Request } from "./request.ts";

/**
 * When a request is handed out. {@link firstComeFirstServed} knows no priority.
 *
 * @see controller-runtime pkg/controller/priorityqueue AddOpts
 */
export interface AddOptions {
  /** Higher comes first. Default 0. */
  readonly priority?: number | undefined;
  /** Not before so many milliseconds have passed. Default 0. */
  readonly afterMs?: number | undefined;
  /**
   * Not before the rate limiter says so. Of this and `afterMs` the shorter holds with {@link prioritizing}, this one with
   * {@link firstComeFirstServed}. Default false.
   */
  readonly rateLimited?: boolean | undefined;
  /** Kept for `causesOf`. Default: none. */
  readonly cause?: Cause | undefined;
}

/** A request and the priority with which it was handed out. */
export interface Taken<R> {
  readonly item: R;
  readonly priority: number;
}

/** What a controller needs of its queue; both of upstream's queues fit. */
export interface RequestQueue<R = Request> {
  add(request: R, options?: AddOptions): void;
  /** The next request, if one waits. */
  tryGet(): Taken<R> | undefined;
  /** The next request, once there is one; `undefined` when the queue is shut down. */
  get(): Promise<Taken<R> | undefined>;
  /** The request is not worked on any more; one that was added meanwhile comes out again. */
  done(request: R): void;
  /** The request was taken and waits for something: the time until `done` is not counted as work. */
  hold?(request: R): void;
  /** It went well: the rate limiter begins anew with it. */
  forget(request: R): void;
  /** How often the rate limiter has delayed it since it was last forgotten. */
  numRequeues(request: R): number;
  /** Why a request is worked on or, if it is not, why it waits. Oldest first, bounded, without repetition. */
  causesOf(request: R): readonly Cause[];
  /** Takes nothing more, and ends every `get` that waits. */
  shutDown(): void;
  /** How many are ready and not handed out. */
  readonly size: number;
  /** What waits, in no particular order, for those who look at it. Times are the clock's monotonic milliseconds. */
  waiting?(): Iterable<WaitingRequest<R>>;
}

/** A request that waits in a queue. */
export interface WaitingRequest<R = Request> extends Taken<R> {
  /** When its time comes. Absent: it is ready. */
  readonly dueMs?: number | undefined;
  /** Since when it has been ready, if that is known. */
  readonly readySinceMs?: number | undefined;
}

/** What a controller gives whoever makes its queue. */
export interface RequestQueueOptions<R = Request> {
  /** Of the controller. */
  readonly name: string;
  readonly clock: Clock;
  readonly rateLimiter: RateLimiter<R>;
  readonly metrics?: QueueMetricsProvider | undefined;
}

/** Makes the queue of one controller. */
export type NewQueue<R = Request> = (options: RequestQueueOptions<R>) => RequestQueue<R>;

/** Per request 5 ms doubling to 1000 s; where nothing has priority also 10 a second over all, 100 at once. */
export const defaultRateLimiter = (priority: boolean, clock: Clock): RateLimiter =>
  priority ? exponentialFailure({ baseMs: 5, maxMs: 1_000_000 }) : defaultControllerRateLimiter({ clock });

/** What changed comes before what was there at the start. */
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

/** Knows no priorities. */
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
