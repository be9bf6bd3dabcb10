import { DeadlineHeap } from "./heap.ts";
import { Causes, Queue, type QueueOptions } from "./queue.ts";

/**
 * A {@link Queue} that supports delayed items. Delaying an item takes O(log n); all items share one timer.
 *
 * @see client-go util/workqueue/delaying_queue.go
 */
export class DelayingQueue<T, Cause = never> extends Queue<T, Cause> {
  readonly #delayed: DeadlineHeap<T>;
  readonly #delayedCauses: Causes<T, Cause>;

  constructor(options: QueueOptions<T, Cause> = {}) {
    super(options);
    this.#delayedCauses = new Causes(options);
    this.#delayed = new DeadlineHeap(this.clock, (item) => this.#onDue(item));
  }

  /** Number of delayed items. */
  get delayedSize(): number {
    return this.#delayed.size;
  }

  /**
   * Adds an item after `ms` milliseconds, or immediately if `ms` is not positive. If an item is added several times, the earliest time
   * applies. Ignored after a shutdown.
   */
  addAfter(item: T, ms: number, cause?: Cause): void {
    if (this.isShuttingDown) return;
    this.meter?.retried();
    if (ms > 0) {
      if (cause !== undefined) this.#delayedCauses.add(item, cause);
      this.#delayed.add(item, ms);
    } else {
      this.add(item, cause);
    }
  }

  override causesOf(item: T): readonly Cause[] {
    const causes = super.causesOf(item);
    return causes.length > 0 || this.isProcessing(item) ? causes : this.#delayedCauses.of(item, false);
  }

  override shutDown(): void {
    super.shutDown();
    this.#delayed.clear();
    this.#delayedCauses.dropWaiting();
  }

  #onDue(item: T): void {
    this.#delayedCauses.take(item);
    for (const cause of this.#delayedCauses.of(item, true)) this.causes.add(item, cause);
    this.#delayedCauses.done(item);
    this.add(item);
  }
}
