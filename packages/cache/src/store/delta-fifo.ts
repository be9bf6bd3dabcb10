import { DeletedFinalStateUnknown, type ObjectKey } from "@kubewright/apimachinery";
import { deletionHandlingKeyOf } from "./object-meta.ts";
import type { ReflectorStore } from "./reflector-store.ts";

/** One entry of a {@link DeltaFIFO}. Replacing and resyncing are one entry each, however many objects they are about. */
export type Delta<O> =
  | { readonly type: "added" | "updated"; readonly object: O }
  | { readonly type: "deleted"; readonly object: O | DeletedFinalStateUnknown<O> }
  | {
      readonly type: "replacedAll";
      readonly objects: readonly O[];
      readonly resourceVersion: string;
      /** Versions say nothing about what was seen before: the server went back in time. */
      readonly isNewHistory: boolean;
    }
  | { readonly type: "syncAll" }
  | { readonly type: "bookmark"; readonly resourceVersion: string };

export interface DeltaFIFOOptions<O> {
  /** Applied once to every object on its way in. */
  readonly transform?: ((object: O) => O) | undefined;
  readonly keyOf?: ((object: unknown) => ObjectKey) | undefined;
}

/** Most entries that {@link DeltaFIFO.popBatch} takes at once. */
export const maxBatch = 1_000;

/**
 * Changes between the one who watches and the one who applies them, in the order in which they arrived; nothing is merged.
 *
 * Named after client-go's older queue, with the semantics of the in-order one that took its place (`RealFIFO`, atomic events on).
 *
 * @see client-go tools/cache/the_real_fifo.go
 */
export class DeltaFIFO<O> implements ReflectorStore<O> {
  readonly #transform: ((object: O) => O) | undefined;
  readonly #keyOf: (object: unknown) => ObjectKey;
  #entries: Delta<O>[] = [];
  #head = 0;
  /** Entries up to the end of the first replacement that are still to be popped; `undefined` before any entry came. */
  #initial: number | undefined;
  #isClosed = false;
  #waiters: (() => void)[] = [];

  constructor(options: DeltaFIFOOptions<O> = {}) {
    this.#transform = options.transform;
    this.#keyOf = options.keyOf ?? deletionHandlingKeyOf;
  }

  /** How many entries wait. */
  get length(): number {
    return this.#entries.length - this.#head;
  }

  /** Whether everything up to the end of the first replacement has been popped and processed. */
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
   * Entered whether or not the object is known. Tombstones hold what has been transformed already.
   *
   * @throws what the transform throws, once the deletion is entered with a tombstone: it must not get lost
   */
  delete(object: O | DeletedFinalStateUnknown<O>): void {
    const key = this.#keyOf(object);
    if (isTombstone(object)) {
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

  /** Asks for everything that is stored when its turn comes to be told of once more. */
  resync(): void {
    this.#push({ type: "syncAll" });
    this.#wake();
  }

  bookmark(resourceVersion: string): void {
    this.#push({ type: "bookmark", resourceVersion });
    this.#wake();
  }

  /** Lets waiting consumers go; what waits is not handed out any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /**
   * Waits for an entry and processes it.
   *
   * @param process told whether the entry is part of the first state
   * @returns whether there was an entry: false when the queue is closed
   */
  async pop(process: (delta: Delta<O>, isInInitialList: boolean) => void): Promise<boolean> {
    return this.popBatch((deltas, isInInitialList) => {
      for (const delta of deltas) process(delta, isInInitialList);
    }, 1);
  }

  /**
   * Waits for entries and processes as many of the first ones as there are, at most `max`, and either all or none of them part
   * of the first state.
   *
   * @returns whether there were any: false when the queue is closed
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
    try {
      const incoming = this.#transform ? this.#transform(object) : object;
      refusePromise(incoming);
      this.#keyOf(incoming);
      return incoming;
    } catch (cause) {
      if (!this.#transform) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`the transform failed on ${this.#keyOf(object)}: ${why}`, { cause });
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

function refusePromise(transformed: unknown): void {
  if (!(transformed instanceof Promise)) return;
  transformed.catch(() => {}); // nobody waits for it, so nobody hears how it ends
  throw new TypeError("it returned a promise, and must return the object");
}

function isTombstone<O>(object: O | DeletedFinalStateUnknown<O>): object is DeletedFinalStateUnknown<O> {
  return object instanceof DeletedFinalStateUnknown;
}
