import { Latch } from "./latch.ts";

/**
 * Tracks whether a consumer has finished the initial list: the source has delivered all of it, and everything that was started has
 * been finished, in the order in which it was started. Once synced, it stays synced.
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

  /** To be called before an object of the initial list is processed. */
  start(): void {
    this.#open++;
  }

  /** To be called after each of them. @throws {Error} if more is finished than was started */
  finished(): void {
    if (--this.#open < 0) throw new Error("more was finished than was started, so whether all has synced is not known");
    this.#check();
  }

  /** To be called once the whole initial list has been started. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  /** Ends the present waits. */
  release(): void {
    this.#synced.release();
  }

  /** Ends all waits, of the present and of the future. */
  giveUp(): void {
    this.#synced.giveUp();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open === 0) this.#synced.open();
  }
}

/**
 * A {@link SyncTracker} for objects that are finished in any order, and may be started more than once, by key.
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

  /** To be called before an object of the initial list is processed. */
  start(key: K): void {
    this.#open.add(key);
  }

  /** To be called after each of them; a key that was not started is ignored. */
  finished(key: K): void {
    this.#open.delete(key);
    this.#check();
  }

  /** To be called once the whole initial list has been started. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open.size === 0) this.#hasSynced = true;
  }
}
