import { DelayingQueue } from "./delaying-queue.ts";
import type { QueueOptions } from "./queue.ts";
import { defaultControllerRateLimiter } from "./rate-limiter/default-limiters.ts";
import type { RateLimiter } from "./rate-limiter/rate-limiter.ts";
import type { WorkQueue } from "./work-queue.ts";

/** What a {@link RateLimitingQueue} takes beside what a {@link Queue} does. @see client-go util/workqueue TypedRateLimitingQueueConfig */
export interface RateLimitingQueueOptions<T, Cause = never> extends QueueOptions<T, Cause> {
  /** Default {@link defaultControllerRateLimiter}. */
  readonly rateLimiter?: RateLimiter<T> | undefined;
}

/**
 * A {@link DelayingQueue} that leaves the delay of a retry to a {@link RateLimiter}. Whoever calls {@link addRateLimited}
 * after a failure calls {@link forget} after a success.
 *
 * @see client-go util/workqueue/rate_limiting_queue.go
 */
export class RateLimitingQueue<T, Cause = never> extends DelayingQueue<T, Cause> implements WorkQueue<T, Cause> {
  readonly #rateLimiter: RateLimiter<T>;

  constructor(options: RateLimitingQueueOptions<T, Cause> = {}) {
    super(options);
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter({ clock: this.clock });
  }

  /** Adds an item once the rate limiter says it is time. */
  addRateLimited(item: T, cause?: Cause): void {
    if (this.isShuttingDown) return;
    this.addAfter(item, this.#rateLimiter.when(item), cause);
  }

  /** Tells the rate limiter that an item's trouble is over. The item stays in the queue if it is there. */
  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  /** How often the rate limiter has delayed an item since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(item);
  }
}
