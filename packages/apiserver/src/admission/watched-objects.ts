import type { Clock } from "@kubewright/clock";
import { everything, type Storage, type StoredObject } from "@kubewright/storage";

const pauseMs = 100;

/**
 * Watches a collection and keeps its current objects in memory. Plugins need all configurations for every write; with
 * this class, they need not read the store for each request.
 */
export class WatchedObjects<T> {
  readonly #storage: Storage;
  readonly #prefix: string;
  readonly #read: (object: StoredObject) => T;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #objects = new Map<string, StoredObject>();
  #sorted: readonly T[] | undefined;
  #generation = 0;

  /**
   * @param read decodes a stored object
   *
   * @param changed called after each change
   */
  constructor(
    storage: Storage,
    prefix: string,
    read: (object: StoredObject) => T,
    clock: Clock,
    changed: () => void = () => {},
  ) {
    this.#storage = storage;
    this.#prefix = prefix;
    this.#read = read;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Number that increases with every change to the collection. */
  get generation(): number {
    return this.#generation;
  }

  /** Returns all objects, ordered by namespace and name. */
  get all(): readonly T[] {
    this.#sorted ??= [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => this.#read(object));
    return this.#sorted;
  }

  /** Watches the collection until the signal aborts. Calls `synced` once the initial objects are known. */
  async run(signal: AbortSignal, synced: () => void = () => {}): Promise<void> {
    while (!signal.aborted) {
      const seen = new Set<string>();
      let isSynced = false;
      try {
        const options = { predicate: everything, sendInitialEvents: true, allowBookmarks: true, signal };
        for await (const event of this.#storage.watch(this.#prefix, options)) {
          if (event.type === "BOOKMARK") {
            if (!isSynced && event.initialEventsEnd) {
              isSynced = true;
              for (const key of this.#objects.keys()) if (!seen.has(key)) this.#set(key, undefined);
              synced();
            }
            continue;
          }
          const { namespace = "", name } = event.object.metadata;
          const key = `${namespace}/${name}`;
          seen.add(key);
          this.#set(key, event.type === "DELETED" ? undefined : event.object);
        }
      } catch {
        // restart the watch: it fell behind, its position expired, or the store was unavailable
      }
      await this.#clock.sleep(pauseMs, signal);
    }
  }

  #set(key: string, object: StoredObject | undefined): void {
    if (object) this.#objects.set(key, object);
    else this.#objects.delete(key);
    this.#sorted = undefined;
    this.#generation++;
    this.#changed();
  }
}
