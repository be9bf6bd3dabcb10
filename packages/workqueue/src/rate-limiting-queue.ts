import { DelayingQueue } from "./delaying-queue.ts";
import type { QueueOptions } from "./queue.ts";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.ts";
import type { WorkQueue } from "./work-queue.ts";

/**
 * Options for a {@link RateLimitingQueue}, in addition to the {@link Queue} options.
 *
 * @see client-go util/workqueue TypedRateLimitingQueueConfig
 */
export interface RateLimitingQueueOptions<T, Cause = never> extends QueueOptions<T, Cause> {
  /** Rate limiter. Default {@link defaultControllerRateLimiter}. */
  readonly rateLimiter?: RateLimiter<T> | undefined;
}

/**
 * A {@link DelayingQueue} whose delays come from a {@link RateLimiter}. Call {@link addRateLimited} after a failure, and {@link forget}
 * after a success.
 *
 * @see client-go util/workqueue/rate_limiting_queue.go
 */
export class RateLimitingQueue<T, Cause = never> extends DelayingQueue<T, Cause> implements WorkQueue<T, Cause> {
  readonly #rateLimiter: RateLimiter<T>;

  constructor(options: RateLimitingQueueOptions<T, Cause> = {}) {
    super(options);
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter({ clock: this.clock });
  }

  /** Adds an item after the rate limiter's delay. */
  addRateLimited(item: T, cause?: Cause): void {
    if (this.isShuttingDown) return;
    this.addAfter(item, this.#rateLimiter.when(item), cause);
  }

  /** Resets the rate limiter for an item. Does not remove the item from the queue. */
  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  /** Returns the number of times that the rate limiter has delayed an item since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#rateLimiter.numRequeues(item);
  }
}
