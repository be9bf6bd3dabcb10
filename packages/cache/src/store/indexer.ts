import {
  DeletedFinalStateUnknown,
  isDeletedFinalStateUnknown,
  isErrorWithCode,
  KubewrightError,
  type ObjectKey,
} from "@kubewright/apimachinery";
import type { Delta, ReflectorStore } from "./delta-fifo.ts";
import { IndexError, type Indexers, IndexSet } from "./indexes.ts";
import { deletionHandlingKeyOf, versionOf } from "./object-meta.ts";

/**
 * Read methods of an {@link Indexer}. Lists are new arrays in no particular order and contain the stored objects themselves.
 *
 * @see client-go tools/cache/store.go Store, index.go Indexer
 */
export interface IndexReader<O> {
  /** Number of objects. */
  readonly size: number;
  /** Resource version of the content. Empty before the first change. */
  readonly resourceVersion: string;
  /** Returns the object with the given key. Keys are `namespace/name` or `name`, unless the store uses other keys. */
  get(key: ObjectKey): O | undefined;
  has(key: ObjectKey): boolean;
  list(): O[];
  /**
   * Yields the same objects as {@link list}, one by one, for searches that may end early. The iteration must end before the store changes.
   */
  values(): Iterable<O>;
  keys(): ObjectKey[];
  /** Returns the objects that are indexed under a value. @throws {Error} if the index does not exist */
  byIndex(index: string, value: string): O[];
  /** Yields the same objects as {@link byIndex}, one by one; see {@link values}. @throws {Error} if the index does not exist */
  valuesByIndex(index: string, value: string): Iterable<O>;
  /** Reports whether the object with a key is indexed under a value. @throws {Error} if the index does not exist */
  isFiled(index: string, value: string, key: ObjectKey): boolean;
  /** Returns the keys of the objects that are indexed under a value. @throws {Error} if the index does not exist */
  indexKeys(index: string, value: string): ObjectKey[];
  /**
   * Returns the objects that share an index value with `object`, without duplicates. @throws {Error} if the index does
   * not exist
   */
  index(index: string, object: O): O[];
  /** Returns the values under which objects are indexed. @throws {Error} if the index does not exist */
  indexValues(index: string): string[];
  /** Names of the indexes. */
  readonly indexNames: readonly string[];
}

/** Options for an {@link Indexer}. */
export interface IndexerOptions<O> {
  /** Returns the key of an object or tombstone. Default: {@link deletionHandlingKeyOf}, `namespace/name`. */
  readonly keyOf?: ((object: unknown) => ObjectKey) | undefined;
  /** Index functions, keyed by index name. Default: none. */
  readonly indexers?: Indexers<O> | undefined;
  /** Transform that is applied to each incoming object. Default: none. */
  readonly transform?: ((object: O) => O) | undefined;
  /** Kind of the objects, for error messages: `apps/v1, Kind=Deployment`. Default `object`. */
  readonly kind?: string | undefined;
  /**
   * Called after a change, for each object whose index function failed. It is called again for an object only after the function has
   * succeeded for it. Default: the first such error is thrown to the caller that made the change.
   */
  readonly onIndexError?: ((error: IndexError) => void) | undefined;
}

/** Result of {@link Indexer.exchange}. */
export interface Replacement<O> {
  /** The removed objects, with their keys. */
  readonly removed: readonly (readonly [ObjectKey, O])[];
  /** The objects stored now, in the order in which they were passed. If several have the same key, only the last of them. */
  readonly stored: readonly O[];
  /** Replaced objects: for each object of `stored`, the object that it replaced, if any. */
  readonly before: readonly (O | undefined)[];
}

/**
 * A store that maps keys to objects and has any number of indexes. Objects are neither copied nor frozen.
 *
 * If an index function throws for an object, the object is still stored and added to the other indexes; see {@link
 * IndexerOptions.onIndexError}.
 *
 * @see client-go tools/cache/index.go Indexer, store.go, thread_safe_store.go
 */
export class Indexer<O> implements IndexReader<O> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: O) => O) | undefined;
  readonly #objects = new Map<ObjectKey, O>();
  readonly #onIndexError: (error: IndexError) => void;
  readonly #indexes: IndexSet<O>;
  #resourceVersion = "";

  constructor(options: IndexerOptions<O> = {}) {
    this.#keyOf = options.keyOf ?? deletionHandlingKeyOf;
    this.#transform = options.transform;
    this.#onIndexError = options.onIndexError ?? raise;
    this.#indexes = new IndexSet(options.kind ?? "object");
    this.addIndexers(options.indexers ?? {});
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexNames(): readonly string[] {
    return this.#indexes.names;
  }

  /**
   * Stores an object, replacing any object with the same key.
   *
   * @throws {KeyError} if the object has no key; nothing is changed
   * @throws {IndexError} after the object was stored; see {@link IndexerOptions.onIndexError}
   */
  add(object: O): void {
    this.update(object);
  }

  /**
   * Stores an object like {@link add}, and returns the replaced one.
   *
   * @returns the object that was replaced
   * @throws the same errors as {@link add}
   */
  update(object: O): O | undefined {
    const key = this.#keyOf(object);
    const stored = this.#transform ? this.#transform(object) : object;
    const old = this.#put(key, stored);
    // A transform may have dropped the version.
    const version = versionOf(stored) || versionOf(object);
    if (version) this.#resourceVersion = version;
    if (this.#indexes.failures.length > 0) this.#reportFailures();
    return old;
  }

  /**
   * Removes the object that has the same key as an object or tombstone.
   *
   * @returns the object that was removed
   * @throws {KeyError} if `object` has no key
   */
  delete(object: unknown): O | undefined {
    const old = this.#remove(this.#keyOf(object));
    const version = versionOf(object);
    if (version) this.#resourceVersion = version;
    return old;
  }

  /**
   * Replaces the whole content.
   *
   * @param resourceVersion version of the new content. Default: empty.
   * @throws {KeyError} if an object has no key; nothing is changed
   * @throws {IndexError} after all objects were stored; see {@link IndexerOptions.onIndexError}
   */
  replace(objects: readonly O[], resourceVersion = ""): void {
    this.exchange(objects, resourceVersion);
  }

  /** Replaces the whole content like {@link replace}, and returns the changes. */
  exchange(objects: readonly O[], resourceVersion = ""): Replacement<O> {
    const next = new Map(
      objects.map((object) => [this.#keyOf(object), this.#transform ? this.#transform(object) : object]),
    );
    const removed: [ObjectKey, O][] = [];
    for (const [key, old] of this.#objects) {
      if (next.has(key)) continue;
      this.#remove(key);
      removed.push([key, old]);
    }
    const before: (O | undefined)[] = [];
    for (const [key, object] of next) before.push(this.#put(key, object));
    this.#resourceVersion = resourceVersion;
    this.#reportFailures();
    return { removed, stored: [...next.values()], before };
  }

  /** Records that the content is unchanged at a newer version. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /**
   * Performs several writes. A failed write does not prevent the others.
   *
   * @throws {TransactionError} after the last write, if any write failed
   */
  transaction(writes: readonly StoreWrite<O>[]): void {
    const successful: number[] = [];
    const causes: unknown[] = [];
    for (const [index, write] of writes.entries()) {
      try {
        if (write.type === "delete") this.delete(write.object);
        else this.update(write.object);
        successful.push(index);
      } catch (error) {
        if (error instanceof IndexError) successful.push(index); // the object is stored
        causes.push(error);
      }
    }
    if (causes.length > 0) throw new TransactionError(successful, writes.length, causes);
  }

  get(key: ObjectKey): O | undefined {
    return this.#objects.get(key);
  }

  has(key: ObjectKey): boolean {
    return this.#objects.has(key);
  }

  list(): O[] {
    return [...this.#objects.values()];
  }

  values(): Iterable<O> {
    return this.#objects.values();
  }

  keys(): ObjectKey[] {
    return [...this.#objects.keys()];
  }

  /**
   * Adds indexes and indexes the stored objects. Adding the same function under the same name again has no effect.
   *
   * @throws {Error} if an index of that name has a different function
   * @throws {TypeError} if an index function is not a function
   * @throws {IndexError} after all objects were indexed; see {@link IndexerOptions.onIndexError}
   */
  addIndexers(indexers: Indexers<O>): void {
    this.#indexes.add(indexers, this.#objects);
    this.#reportFailures();
  }

  byIndex(index: string, value: string): O[] {
    return this.#objectsOf(this.#indexes.named(index).keysOf(value) ?? []);
  }

  valuesByIndex(index: string, value: string): Iterable<O> {
    return this.#eachOf(this.#indexes.named(index).keysOf(value) ?? []);
  }

  isFiled(index: string, value: string, key: ObjectKey): boolean {
    return this.#indexes.named(index).keysOf(value)?.has(key) ?? false;
  }

  indexKeys(index: string, value: string): ObjectKey[] {
    return [...(this.#indexes.named(index).keysOf(value) ?? [])];
  }

  index(index: string, object: O): O[] {
    const named = this.#indexes.named(index);
    const keys = new Set<ObjectKey>();
    for (const value of named.valuesOf(object)) for (const key of named.keysOf(value) ?? []) keys.add(key);
    return this.#objectsOf(keys);
  }

  indexValues(index: string): string[] {
    return [...this.#indexes.named(index).values()];
  }

  #objectsOf(keys: Iterable<ObjectKey>): O[] {
    const objects: O[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** Yields the same objects as {@link #objectsOf}, one by one. Reading all of them this way takes twice as long. */
  *#eachOf(keys: Iterable<ObjectKey>): Iterable<O> {
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) yield object;
    }
  }

  /** @returns the object that was replaced */
  #put(key: ObjectKey, object: O): O | undefined {
    const old = this.#objects.get(key);
    const filings = this.#indexes.filingsOf(key, object, old);
    this.#objects.set(key, object);
    if (filings) this.#indexes.file(key, filings);
    return old;
  }

  #remove(key: ObjectKey): O | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#indexes.remove(key, old);
    this.#objects.delete(key);
    return old;
  }

  /** Passes the failures to the handler. If the handler throws, the remaining failures are lost. */
  #reportFailures(): void {
    const { failures } = this.#indexes;
    if (failures.length === 0) return;
    this.#indexes.failures = [];
    for (const failure of failures) this.#onIndexError(failure);
  }
}

function raise(error: IndexError): never {
  throw error;
}

/** A write in an {@link Indexer.transaction}. */
export type StoreWrite<O> = { readonly type: "add" | "update" | "delete"; readonly object: O };

/**
 * Thrown if some writes in a transaction failed; the others succeeded. `cause` is an `AggregateError` with the errors.
 *
 * @see client-go tools/cache TransactionError
 */
export class TransactionError extends KubewrightError {
  override readonly name = "TransactionError";
  readonly code = "ERR_TRANSACTION";
  /** Indices of the successful writes, from 0. */
  readonly successfulIndices: readonly number[];

  constructor(successfulIndices: readonly number[], total: number, causes: readonly unknown[]) {
    super(`failed to execute (${causes.length}/${total}) transactions`, { cause: new AggregateError(causes) });
    this.successfulIndices = successfulIndices;
  }
}

/** Reports whether an error is a {@link TransactionError}. */
export const isTransactionError = isErrorWithCode<TransactionError>("ERR_TRANSACTION");

/** Receives each change to a store after it has been made. */
export interface ChangeSink<O> {
  onAdd(object: O, isInInitialList: boolean): void;
  /** @param isNewHistory true if the objects may differ although their versions are equal */
  onUpdate(old: O, object: O, isNewHistory?: boolean): void;
  onDelete(object: O | DeletedFinalStateUnknown<O>): void;
  /** Called during a resync for an object that did not change. */
  onSync(object: O): void;
  /** Called after all changes of one entry were reported. */
  onApplied?(): void;
}

/**
 * Applies queue entries to a store and reports each change to `sink`. A failed entry does not prevent the others.
 *
 * @throws {TransactionError} after the last entry, if any entry failed
 * @see client-go tools/cache processDeltas, processDeltasInBatch
 */
export function processDeltas<O>(
  deltas: readonly Delta<O>[],
  store: Indexer<O>,
  sink: ChangeSink<O>,
  isInInitialList: boolean,
): void {
  const failures = new Map<number, unknown>();
  for (let index = 0; index < deltas.length; index++) {
    try {
      processDelta(deltas[index] as Delta<O>, store, sink, isInInitialList);
    } catch (error) {
      failures.set(index, error);
    }
    sink.onApplied?.();
  }
  if (failures.size === 0) return;
  const successful = [...deltas.keys()].filter((index) => !failures.has(index));
  throw new TransactionError(successful, deltas.length, [...failures.values()]);
}

/** Applies one entry to a store and reports its changes to `sink`. @throws any error thrown by the store or the sink */
export function processDelta<O>(
  delta: Delta<O>,
  store: Indexer<O>,
  sink: ChangeSink<O>,
  isInInitialList: boolean,
): void {
  switch (delta.type) {
    case "added":
    case "updated": {
      const old = store.update(delta.object);
      if (old === undefined) sink.onAdd(delta.object, isInInitialList);
      else sink.onUpdate(old, delta.object);
      return;
    }
    case "deleted": {
      const { object } = delta;
      const known = store.delete(object);
      if (known === undefined) return; // the object was never reported
      sink.onDelete(isDeletedFinalStateUnknown(object) ? new DeletedFinalStateUnknown(object.key, known) : object);
      return;
    }
    case "replacedAll":
      replaceAll(delta, store, sink, isInInitialList);
      return;
    case "syncAll":
      for (const object of store.list()) sink.onSync(object);
      return;
    case "bookmark":
      store.bookmark(delta.resourceVersion);
  }
}

/** Replaces the store's content. Reports deletions first, then updates and additions in list order. */
function replaceAll<O>(
  { objects, resourceVersion, isNewHistory }: Extract<Delta<O>, { type: "replacedAll" }>,
  store: Indexer<O>,
  sink: ChangeSink<O>,
  isInInitialList: boolean,
): void {
  const { removed, stored, before } = store.exchange(objects, resourceVersion);
  for (const [key, old] of removed) sink.onDelete(new DeletedFinalStateUnknown(key, old));
  for (const [index, object] of stored.entries()) {
    const old = before[index];
    if (old === undefined) sink.onAdd(object, isInInitialList);
    else sink.onUpdate(old, object, isNewHistory);
  }
}

/** Returns a deleted object's final state, or its last known state. */
export const lastStateOf = <O>(deleted: O | DeletedFinalStateUnknown<O>): O =>
  isDeletedFinalStateUnknown(deleted) ? deleted.object : deleted;

/**
 * An {@link Indexer} that passes its whole content to a function after every change, for consumers that need the full
 * state, not the changes.
 *
 * @see client-go tools/cache UndeltaStore
 */
export class UndeltaStore<O> extends Indexer<O> implements ReflectorStore<O> {
  readonly #push: (objects: readonly O[]) => void;

  constructor(push: (objects: readonly O[]) => void, options: IndexerOptions<O> = {}) {
    super(options);
    this.#push = push;
  }

  override add(object: O): void {
    this.update(object);
  }

  override update(object: O): O | undefined {
    return this.#pushing(() => super.update(object));
  }

  override delete(object: O | DeletedFinalStateUnknown<O>): O | undefined {
    return this.#pushing(() => super.delete(object));
  }

  override exchange(objects: readonly O[], resourceVersion?: string): Replacement<O> {
    return this.#pushing(() => super.exchange(objects, resourceVersion));
  }

  /**
   * Makes a change and passes on the content. An object whose index function failed is stored, so the content is passed on in that case as
   * well.
   */
  #pushing<R>(change: () => R): R {
    try {
      const result = change();
      this.#push(this.list());
      return result;
    } catch (error) {
      if (error instanceof IndexError) this.#push(this.list());
      throw error;
    }
  }
}
