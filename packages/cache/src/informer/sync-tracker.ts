import { Latch } from "./latch.ts";

/**
 * Tracks whether a consumer has finished the initial list: the source has delivered all of it, and every object that was started has been
 * finished, in the order in which it was started. Once synced, it stays synced.
 *
 * @see client-go tools/cache/synctrack SingleFileTracker
 */
export class SyncTracker {
  readonly #synced = new Latch();
  #open = 0;
  #isSourceSynced = false;

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  /** Resolves to true once {@link hasSynced}; to false if the signal aborts or {@link release} or {@link giveUp} is called first. */
  synced(signal?: AbortSignal): Promise<boolean> {
    return this.#synced.wait(signal);
  }

  /** Must be called before an object of the initial list is processed. */
  start(): void {
    this.#open++;
  }

  /** Must be called after each object of the initial list. @throws {Error} if more objects are finished than were started */
  finished(): void {
    if (--this.#open < 0) throw new Error("more objects were finished than started, so the sync state is unknown");
    this.#check();
  }

  /** Must be called once the whole initial list has been started. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  /** Ends the current waits. */
  release(): void {
    this.#synced.release();
  }

  /** Ends all current and future waits. */
  giveUp(): void {
    this.#synced.giveUp();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open === 0) this.#synced.open();
  }
}

/**
 * A {@link SyncTracker} that identifies objects by key. They may be finished in any order and started more than once.
 *
 * @see client-go tools/cache/synctrack AsyncTracker
 */
export class KeyedSyncTracker<K> {
  readonly #open = new Set<K>();
  #isSourceSynced = false;
  #hasSynced = false;

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Must be called before an object of the initial list is processed. */
  start(key: K): void {
    this.#open.add(key);
  }

  /** Must be called after each object of the initial list; a key that was not started is ignored. */
  finished(key: K): void {
    this.#open.delete(key);
    this.#check();
  }

  /** Must be called once the whole initial list has been started. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open.size === 0) this.#hasSynced = true;
  }
}
