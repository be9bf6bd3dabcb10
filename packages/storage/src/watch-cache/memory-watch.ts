import type { SelectionPredicate, StorageChange, StorageEvent, StorageWatch } from "../contract/storage.ts";
import { eventOf } from "./change-event.ts";
import type { WakeBatch } from "./wake-batch.ts";

export interface MemoryWatchOptions {
  readonly predicate: SelectionPredicate;
  /** Resource version after which changes are sent. */
  readonly after: number;
  readonly allowBookmarks: boolean;
  /** Maximum number of buffered events. If another event is added, the watch ends. */
  readonly maxBuffered: number;
  readonly signal: AbortSignal;
  /** Returns the current resource version, for bookmarks. */
  readonly currentResourceVersion: () => number;
  /** Wakes the reader if it is waiting. */
  readonly wakes: WakeBatch;
  /** Called once when the watch is over. This can happen while the watch is being created. */
  readonly onEnd: (watch: MemoryWatch) => void;
}

/** A watch with an event queue: the storage adds events to the queue, and the reader takes them from it. */
export class MemoryWatch implements StorageWatch {
  readonly #options: MemoryWatchOptions;
  #queue: StorageEvent[] = [];
  #failure: { readonly error: unknown } | undefined;
  #ended = false;
  #wake: (() => void) | undefined;
  /** True if the reader has been woken, but has not run yet. Until it runs, it is not treated as slow, no matter how many events arrive. */
  #isCalled = false;
  readonly #abort = (): void => this.end();

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
    if (options.signal.aborted) this.end();
    else options.signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** Adds the event for a change if the change matches this watch. */
  offer(change: StorageChange): void {
    if (this.#ended || change.resourceVersion <= this.#options.after) return;
    const event = eventOf(change, this.#options.predicate);
    if (!event) return;
    if (this.#queue.length >= this.#options.maxBuffered && !this.#isCalled) this.end();
    else this.push(event);
  }

  /** Adds an event to the end of the queue. */
  push(event: StorageEvent): void {
    if (this.#ended) return;
    this.#queue.push(event);
    if (!this.#wake) return;
    this.#options.wakes.add(this.#wake);
    this.#wake = undefined;
    this.#isCalled = true;
  }

  requestProgress(): void {
    const resourceVersion = this.#options.currentResourceVersion();
    if (this.#options.allowBookmarks && resourceVersion >= this.#options.after)
      this.push({ type: "BOOKMARK", resourceVersion, initialEventsEnd: false });
  }

  get isOver(): boolean {
    return this.#ended;
  }

  /** Ends the watch with an error, which the reader receives after the queued events. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  /** Ends the watch. Queued events are still delivered. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.signal.removeEventListener("abort", this.#abort);
    this.#options.onEnd(this);
    this.#wake?.();
    this.#wake = undefined;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<StorageEvent> {
    for await (const events of this.batches()) yield* events;
  }

  async *batches(): AsyncGenerator<readonly StorageEvent[]> {
    try {
      for (;;) {
        if (this.#queue.length > 0) {
          const ready = this.#queue;
          this.#queue = [];
          this.#isCalled = false;
          yield ready;
          continue;
        }
        if (this.#ended) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      this.end();
    }
  }
}
