/**
 * The interface of all queues for workers and producers.
 *
 * `undefined` cannot be an item: `get` and `tryGet` return it if no item is available.
 *
 * @see client-go util/workqueue TypedRateLimitingInterface
 *
 */
export interface WorkQueue<T, Cause = never> {
  /** Adds an item that needs work. `cause` is the reason, which is kept until the item is done. */
  add(item: T, cause?: Cause): void;
  /** Adds an item after `ms` milliseconds; at once if `ms` is not positive. */
  addAfter(item: T, ms: number, cause?: Cause): void;
  /** Adds an item after the rate limiter's delay. */
  addRateLimited(item: T, cause?: Cause): void;
  /** Resets the rate limiter for an item. Does not remove the item from the queue. */
  forget(item: T): void;
  /** Returns the number of times that the rate limiter has delayed an item since it was last forgotten. */
  numRequeues(item: T): number;
  /**
   * Resolves to the next item once one is available, or to `undefined` after a shutdown or when the signal aborts. {@link done} must be
   * called for it.
   *
   */
  get(signal?: AbortSignal): Promise<T | undefined>;
  /** Returns the next item, or `undefined` if none is ready. {@link done} must be called for it. */
  tryGet(): T | undefined;
  /** Yields every next item, until the queue is shut down or the signal aborts. {@link done} must be called for each. */
  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined>;
  /** Marks an item as done. If it was added meanwhile, it is returned again. */
  done(item: T): void;
  /** Returns the causes of an item that is in progress or waiting. Oldest first, limited in number, without duplicates. */
  causesOf(item: T): readonly Cause[];
  isProcessing(item: T): boolean;
  /** Number of ready items; delayed items are not counted. */
  readonly size: number;
  readonly isShuttingDown: boolean;
  /** Ignores adds from now on, and ends consumers. */
  shutDown(): void;
  /** Shuts down like {@link shutDown}, then resolves when accepted work is done; see the class for details. */
  shutDownWithDrain(): Promise<void>;
}
