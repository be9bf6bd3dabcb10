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

export interface AddOptions {
  readonly priority?: number | undefined;
  readonly afterMs?: number | undefined;
  readonly rateLimited?: boolean | undefined;
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
  done(request: R): void;
  forget(request: R): void;
  numRequeues(request: R): number;
  causesOf(request: R): readonly Cause[];
  shutDown(): void;
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
    forget: (request) => queue.forget(request),
    numRequeues: (request) => queue.numRequeues(request),
    causesOf: (request) => queue.causesOf(request),
    shutDown: () => queue.shutDown(),
    get size() {
      return queue.size;
    },
  };
}
