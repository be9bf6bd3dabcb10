/**
 * Interface that all queues implement, for workers and producers.
 *
 * `undefined` cannot be an item: `get` and `tryGet` return it if no item is available.
 *
 * @see client-go util/workqueue TypedRateLimitingInterface
 */
export interface WorkQueue<T, Cause = never> {
  /** Adds an item that needs work. `cause` is the reason; it is retained until the item is done. */
  add(item: T, cause?: Cause): void;
  /** Adds an item after `ms` milliseconds, or immediately if `ms` is not positive. */
  addAfter(item: T, ms: number, cause?: Cause): void;
  /** Adds an item after the rate limiter's delay. */
  addRateLimited(item: T, cause?: Cause): void;
  /** Resets the rate limiter for an item. Does not remove the item from the queue. */
  forget(item: T): void;
  /** Returns the number of times that the rate limiter has delayed an item since it was last forgotten. */
  numRequeues(item: T): number;
  /**
   * Resolves to the next item once one is available, or to `undefined` after a shutdown or when the signal aborts. The caller must call
   * {@link done} for the item.
   */
  get(signal?: AbortSignal): Promise<T | undefined>;
  /** Returns the next item, or `undefined` if none is ready. The caller must call {@link done} for the item. */
  tryGet(): T | undefined;
  /** Yields items until the queue is shut down or the signal aborts. The caller must call {@link done} for each item. */
  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined>;
  /** Marks an item as done. If it was added in the meantime, it is returned again. */
  done(item: T): void;
  /** Returns the causes of an item that is in progress or waiting: oldest first, limited in number, without duplicates. */
  causesOf(item: T): readonly Cause[];
  isProcessing(item: T): boolean;
  /** Number of ready items. Delayed items are not counted. */
  readonly size: number;
  readonly isShuttingDown: boolean;
  /** Ignores adds from now on and ends consumers. */
  shutDown(): void;
  /** Shuts down like {@link shutDown}, then resolves when accepted work is done. See the class for details. */
  shutDownWithDrain(): Promise<void>;
}
