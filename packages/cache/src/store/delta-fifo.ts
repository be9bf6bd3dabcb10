import { DeletedFinalStateUnknown, isDeletedFinalStateUnknown, type ObjectKey } from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";
import { deletionHandlingKeyOf, metaIfAny, noteReceived } from "./object-meta.ts";

/**
 * A store that a `Reflector` updates. Each method completes its change before it returns. If a method throws, the reflector logs the object
 * and continues.
 *
 * @see client-go tools/cache ReflectorStore
 */
export interface ReflectorStore<O> {
  add(object: O): void;
  update(object: O): void;
  delete(object: O | DeletedFinalStateUnknown<O>): void;
  /**
   * Replaces the whole content. `resourceVersion` is the version of the new content.
   *
   * @param isNewHistory true if the server went back in time, so that an object may have changed without a change to its version
   */
  replace(objects: readonly O[], resourceVersion: string, isNewHistory?: boolean): void;
  /** Reports every stored object again. */
  resync?(): void;
  /** Records that nothing has changed until this version. */
  bookmark?(resourceVersion: string): void;
}

/**
 * An entry of a {@link DeltaFIFO}. A replacement or resync of any number of objects is a single entry.
 *
 * @see client-go tools/cache Delta, ReplacedAll, SyncAll, Bookmark
 */
export type Delta<O> =
  | { readonly type: "added" | "updated"; readonly object: O }
  | { readonly type: "deleted"; readonly object: O | DeletedFinalStateUnknown<O> }
  | {
      readonly type: "replacedAll";
      readonly objects: readonly O[];
      readonly resourceVersion: string;
      /** True if the server went back in time, so that an object may have changed without a change to its version. */
      readonly isNewHistory: boolean;
    }
  | { readonly type: "syncAll" }
  | { readonly type: "bookmark"; readonly resourceVersion: string };

/** Options for a {@link DeltaFIFO}. @see client-go tools/cache DeltaFIFOOptions */
export interface DeltaFIFOOptions<O> {
  /** Transform that is applied once to each incoming object. Default: none. */
  readonly transform?: ((object: O) => O) | undefined;
  /** Returns the key of an object or tombstone. Default: `deletionHandlingKeyOf`. */
  readonly keyOf?: ((object: unknown) => ObjectKey) | undefined;
}

const maxBatch = 1_000;

/**
 * The queue between a {@link Reflector} and an {@link Indexer}. It returns changes in the order in which they arrive
 * and never merges them.
 *
 * Although named after client-go's older queue, it behaves like the in-order queue that replaced it: `RealFIFO` with
 * atomic events.
 *
 * @see client-go tools/cache/the_real_fifo.go, delta_fifo.go
 */
export class DeltaFIFO<O> implements ReflectorStore<O>, Disposable {
  readonly #transform: ((object: O) => O) | undefined;
  readonly #keyOf: (object: unknown) => ObjectKey;
  #entries: Delta<O>[] = [];
  #head = 0;
  /** Number of unpopped entries up to the end of the first replacement; `undefined` before the first entry. */
  #initial: number | undefined;
  #isClosed = false;
  #waiters: (() => void)[] = [];

  constructor(options: DeltaFIFOOptions<O> = {}) {
    this.#transform = options.transform;
    this.#keyOf = options.keyOf ?? deletionHandlingKeyOf;
  }

  /** Number of waiting entries. */
  get length(): number {
    return this.#entries.length - this.#head;
  }

  /** True once all entries up to the end of the first replacement have been popped and processed. */
  get hasSynced(): boolean {
    return this.#initial === 0;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(object: O): void {
    this.#enter({ type: "added", object: this.#incoming(object) });
  }

  update(object: O): void {
    this.#enter({ type: "updated", object: this.#incoming(object) });
  }

  /**
   * Queues a deletion, whether or not the object is known. A tombstone's object is not transformed again.
   *
   * @throws any error of the transform, after queuing the deletion with a tombstone, because deletions must not be lost
   */
  delete(object: O | DeletedFinalStateUnknown<O>): void {
    const key = this.#keyOf(object);
    if (isDeletedFinalStateUnknown(object)) {
      this.#enter({ type: "deleted", object });
      return;
    }
    try {
      this.#enter({ type: "deleted", object: this.#incoming(object) });
    } catch (error) {
      this.#enter({ type: "deleted", object: new DeletedFinalStateUnknown(key, object) });
      throw error;
    }
  }

  replace(objects: readonly O[], resourceVersion: string, isNewHistory = false): void {
    const incoming = objects.map((object) => this.#incoming(object));
    const isFirst = this.#initial === undefined;
    this.#push({ type: "replacedAll", objects: incoming, resourceVersion, isNewHistory });
    if (isFirst) this.#initial = this.length;
    this.#wake();
  }

  /** Queues a resync. When it is processed, handlers receive every object that is in the store at that time. */
  resync(): void {
    this.#push({ type: "syncAll" });
    this.#wake();
  }

  bookmark(resourceVersion: string): void {
    this.#push({ type: "bookmark", resourceVersion });
    this.#wake();
  }

  /** Makes all pending and future calls of `pop` return false. Remaining entries are dropped. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Waits for an entry and processes it.
   *
   * @param process receives the entry, and true if the entry belongs to the initial list
   * @returns false once the queue is closed
   * @throws any error of `process`; the entry counts as processed
   */
  async pop(process: (delta: Delta<O>, isInInitialList: boolean) => void): Promise<boolean> {
    return this.popBatch((deltas, isInInitialList) => {
      for (const delta of deltas) process(delta, isInInitialList);
    }, 1);
  }

  /**
   * Waits for entries and processes the first ones in one call. A batch never mixes entries from the initial list with
   * others.
   *
   * @param max maximum batch size. Default 1,000.
   * @returns false once the queue is closed
   * @throws any error of `process`; the entries count as processed
   */
  async popBatch(
    process: (deltas: readonly Delta<O>[], isInInitialList: boolean) => void,
    max: number = maxBatch,
  ): Promise<boolean> {
    while (this.length === 0 && !this.#isClosed) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    if (this.#isClosed) return false;
    const isInitial = (this.#initial ?? 0) > 0;
    const count = Math.min(max, this.length, isInitial ? (this.#initial ?? 0) : max);
    const batch = this.#entries.slice(this.#head, this.#head + count);
    this.#forget(count);
    try {
      process(batch, isInitial);
    } finally {
      if (isInitial) this.#initial = (this.#initial ?? 0) - count;
    }
    return true;
  }

  #incoming(object: O): O {
    const key = this.#keyOf(object);
    if (!this.#transform) return object;
    // The transform may modify the object itself.
    const { name, namespace, uid, resourceVersion, deletionTimestamp } = metaIfAny(object) ?? {};
    try {
      const incoming = this.#transform(object);
      if (incoming instanceof Promise) refusePromise(incoming);
      if (this.#keyOf(incoming) !== key) refuseLostKey(incoming, name, namespace);
      noteReceived(incoming, { uid, resourceVersion, deletionTimestamp });
      return incoming;
    } catch (cause) {
      throw new Error(`the transform failed on ${key}: ${errorText(cause)}`, { cause });
    }
  }

  #enter(delta: Delta<O>): void {
    this.#initial ??= 0;
    this.#push(delta);
    this.#wake();
  }

  #push(delta: Delta<O>): void {
    if (!this.#isClosed) this.#entries.push(delta);
  }

  #forget(count: number): void {
    this.#head += count;
    if (this.#head < this.#entries.length && this.#head < maxBatch) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

function refusePromise(transformed: Promise<unknown>): never {
  transformed.catch(() => {}); // not awaited, so its rejection is ignored
  throw new TypeError("it returned a promise; return the object instead");
}

/** Rejects objects that lost their name or namespace, because they would overwrite each other. */
function refuseLostKey(transformed: unknown, name: string | undefined, namespace: string | undefined): void {
  const left = metaIfAny(transformed);
  for (const [field, before, after] of [
    ["name", name, left?.name],
    ["namespace", namespace, left?.namespace],
  ] as const)
    if (before && !after)
      throw new Error(`it dropped metadata.${field} (${JSON.stringify(before)}), which identifies the object; keep it`);
}
