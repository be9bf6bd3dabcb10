import { Latch } from "./latch.ts";

/**
 * Whether a consumer is through with everything that was there at the start: the source has handed over all of it, and each
 * piece that was started has been finished. Once synced, it stays so.
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

  /** Resolves when {@link hasSynced} (true), or when the signal aborts or {@link release} is called first. */
  synced(signal?: AbortSignal): Promise<boolean> {
    return this.#synced.wait(signal);
  }

  start(): void {
    this.#open++;
  }

  /** @throws {Error} if more is finished than was started */
  finished(): void {
    if (--this.#open < 0) throw new Error("more was finished than was started, so whether all has synced is not known");
    this.#check();
  }

  /** Everything there is has been started. */
  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  /** Lets those who wait go. */
  release(): void {
    this.#synced.release();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open === 0) this.#synced.open();
  }
}

/**
 * The same for pieces that finish in any order, and may be started more than once.
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

  start(key: K): void {
    this.#open.add(key);
  }

  finished(key: K): void {
    this.#open.delete(key);
    this.#check();
  }

  sourceSynced(): void {
    this.#isSourceSynced = true;
    this.#check();
  }

  #check(): void {
    if (this.#isSourceSynced && this.#open.size === 0) this.#hasSynced = true;
  }
}
