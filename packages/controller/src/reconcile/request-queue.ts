import type { Clock } from "@kubewright/clock";
import {
  defaultControllerRateLimiter,
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
}

export interface RequestQueueOptions<R> {
  readonly name: string;
  readonly clock: Clock;
  readonly rateLimiter?: RateLimiter<R> | undefined;
  readonly metrics?: QueueMetricsProvider | undefined;
}

/** Of the priority queue. Its default limiter is per request only, 5 ms to 1000 s. */
export function prioritizing<R>(options: RequestQueueOptions<R>): RequestQueue<R> {
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
    get size() {
      return queue.size;
    },
  };
}

/** Of the plain queue, which knows no priorities. Its default limiter also allows 10 a second over all requests, 100 at once. */
export function firstComeFirstServed<R>(options: RequestQueueOptions<R>): RequestQueue<R> {
  const rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter({ clock: options.clock });
  const queue = new RateLimitingQueue<R, Cause>({ ...options, rateLimiter, causeKey });
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
