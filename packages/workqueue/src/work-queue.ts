/**
 * What a worker and those who give it work see of any queue here.
 *
 * `undefined` is not an item: it is the answer of `get` and `tryGet` when there is none.
 *
 * @see client-go util/workqueue TypedRateLimitingInterface
 */
export interface WorkQueue<T, Cause = never> {
  /** Marks an item as needing work. `cause` says why, and is kept until the item has been worked on. */
  add(item: T, cause?: Cause): void;
  /** Adds an item once `ms` have passed; at once if `ms` is not above 0. */
  addAfter(item: T, ms: number, cause?: Cause): void;
  /** Adds an item once the rate limiter says it is time. */
  addRateLimited(item: T, cause?: Cause): void;
  /** Tells the rate limiter that an item's trouble is over. It does not take the item out of the queue. */
  forget(item: T): void;
  /** How often the rate limiter has delayed an item since it was last forgotten. */
  numRequeues(item: T): number;
  /** The next item, once there is one; `undefined` after a shutdown or when the signal aborts. {@link done} must follow. */
  get(signal?: AbortSignal): Promise<T | undefined>;
  /** The next item, or `undefined` if none is ready now. {@link done} must follow. */
  tryGet(): T | undefined;
  /** Every next item, until the queue is shut down or the signal aborts. {@link done} must follow for each. */
  items(signal?: AbortSignal): AsyncIterableIterator<T, undefined>;
  /** Ends the work on an item. If it was added meanwhile, it is handed out again. */
  done(item: T): void;
  /** Why the item is being worked on, or, if it is not, why it waits. Oldest first, bounded, without repetition. */
  causesOf(item: T): readonly Cause[];
  isProcessing(item: T): boolean;
  /** How many items are ready to be worked on; items whose time has not come are not counted. */
  readonly size: number;
  readonly isShuttingDown: boolean;
  /** Adds are ignored from now on, and consumers are told to stop. */
  shutDown(): void;
  /** {@link shutDown}, then resolves when the work that was accepted is done; see the class for what that covers. */
  shutDownWithDrain(): Promise<void>;
}
