import type { ObjectKey } from "@kubewright/apimachinery";
import { deletionHandlingKeyOf, metaIfAny } from "./object-meta.ts";
import { IndexError, type IndexFunc, nowhere, ValueIndex } from "./value-index.ts";

export { IndexError, type IndexFunc } from "./value-index.ts";

/** Index functions by name. */
export type Indexers<O> = Readonly<Record<string, IndexFunc<O>>>;

/** The name of the index by namespace, which informers have. */
export const namespaceIndex = "namespace";

/** @see client-go tools/cache MetaNamespaceIndexFunc */
export const byNamespace: IndexFunc<unknown> = (object) => [metaIfAny(object)?.namespace ?? ""];

/** What readers see of an {@link Indexer}. */
export interface IndexReader<O> {
  readonly size: number;
  /** The version that the content is of; empty before the first change. */
  readonly resourceVersion: string;
  get(key: ObjectKey): O | undefined;
  has(key: ObjectKey): boolean;
  list(): O[];
  keys(): ObjectKey[];
  /** The objects filed under a value. @throws {Error} if there is no such index */
  byIndex(index: string, value: string): O[];
  /** The keys of the objects filed under a value. @throws {Error} if there is no such index */
  indexKeys(index: string, value: string): ObjectKey[];
  /** The objects that share a value with the given one, each once. @throws {Error} if there is no such index */
  sharing(index: string, object: O): O[];
  /** The values under which anything is filed. @throws {Error} if there is no such index */
  indexValues(index: string): string[];
  readonly indexNames: readonly string[];
}

/** One change of {@link Indexer.transaction}. */
export type StoreWrite<O> = { readonly type: "add" | "update" | "delete"; readonly object: O };

/** Some writes of a transaction could not be made, or not in full: an index function failed. */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
  /** Which writes were made, by their place in the transaction. */
  readonly successfulIndices: readonly number[];

  constructor(successfulIndices: readonly number[], total: number, causes: readonly unknown[]) {
    super(`failed to execute (${causes.length}/${total}) transactions`, { cause: new AggregateError(causes) });
    this.successfulIndices = successfulIndices;
  }
}

export interface IndexerOptions<O> {
  /** Default: namespace and name. */
  readonly keyOf?: ((object: unknown) => ObjectKey) | undefined;
  readonly indexers?: Indexers<O> | undefined;
  /** Applied to every object that is written. */
  readonly transform?: ((object: O) => O) | undefined;
  /** What the objects are, for errors: `apps/v1, Kind=Deployment`. Default `object`. */
  readonly kind?: string | undefined;
  /**
   * Told, after the store has changed, of each object that an index function fails on, once until it succeeds on it again. Default:
   * whoever changed the store gets the first such error thrown.
   */
  readonly onIndexError?: ((error: IndexError) => void) | undefined;
}

/** What {@link Indexer.exchange} did. */
export interface Replacement<O> {
  /** What was stored and is so no more. */
  readonly removed: readonly (readonly [ObjectKey, O])[];
  /** What is stored now, in the order in which it was passed; of several objects with one key the last. */
  readonly stored: readonly O[];
  /** For each of `stored`, what was stored before under its key. */
  readonly before: readonly (O | undefined)[];
}

/** An object that is filed elsewhere than it was. */
interface Filing<O> {
  readonly index: ValueIndex<O>;
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** Why it is not known where the object is to be filed. */
  readonly failure?: { readonly cause: unknown };
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Objects by key, and by whatever else they are looked for. One entry a key; reading copies nothing but the list itself.
 *
 * Index functions are the user's and may fail. An object that one fails on is stored all the same, under its key and in the other
 * indexes, see {@link IndexerOptions.onIndexError}.
 *
 * @see client-go tools/cache/store.go Indexer, thread_safe_store.go
 */
export class Indexer<O> implements IndexReader<O> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: O) => O) | undefined;
  readonly #objects = new Map<ObjectKey, O>();
  readonly #indexes = new Map<string, ValueIndex<O>>();
  readonly #kind: string;
  readonly #onIndexError: (error: IndexError) => void;
  #resourceVersion = "";
  /** What is to be reported once the change under way has been made. */
  #failures: IndexError[] = [];

  constructor(options: IndexerOptions<O> = {}) {
    this.#keyOf = options.keyOf ?? deletionHandlingKeyOf;
    this.#transform = options.transform;
    this.#kind = options.kind ?? "object";
    this.#onIndexError = options.onIndexError ?? raise;
    this.addIndexers(options.indexers ?? {});
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexNames(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /**
   * @throws {KeyError} if no key can be made of the object
   * @throws {IndexError} once it is stored, see {@link IndexerOptions.onIndexError}
   */
  add(object: O): void {
    this.update(object);
  }

  /**
   * @returns what was stored before under the same key
   * @throws {KeyError} if no key can be made of the object
   * @throws {IndexError} once it is stored, see {@link IndexerOptions.onIndexError}
   */
  update(object: O): O | undefined {
    const key = this.#keyOf(object);
    const stored = this.#transformed(object);
    const old = this.#put(key, stored);
    this.#noteVersion(stored, object);
    this.#reportFailures();
    return old;
  }

  /**
   * Removes what is stored under the key of an object or tombstone.
   *
   * @returns what was stored
   * @throws {KeyError} if no key can be made of it
   */
  delete(object: unknown): O | undefined {
    const old = this.#remove(this.#keyOf(object));
    this.#noteVersion(object);
    return old;
  }

  /**
   * Leaves exactly these objects.
   *
   * @throws {KeyError} if no key can be made of one; then nothing is changed
   * @throws {IndexError} once they are stored, see {@link IndexerOptions.onIndexError}
   */
  replace(objects: readonly O[], resourceVersion = ""): void {
    this.exchange(objects, resourceVersion);
  }

  /** {@link replace}, and what it did. */
  exchange(objects: readonly O[], resourceVersion = ""): Replacement<O> {
    const next = new Map(objects.map((object) => [this.#keyOf(object), this.#transformed(object)]));
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

  /** The content is unchanged up to this version. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /**
   * Makes each write that can be made.
   *
   * @throws {TransactionError} if some could not
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
        if (error instanceof IndexError) successful.push(index); // it is stored
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

  keys(): ObjectKey[] {
    return [...this.#objects.keys()];
  }

  /**
   * Adds indexes and files what is stored already.
   *
   * @throws {Error} if an index of that name is there with another function
   * @throws {TypeError} if what is to be an index function is none
   * @throws {IndexError} once everything is filed, see {@link IndexerOptions.onIndexError}
   */
  addIndexers(indexers: Indexers<O>): void {
    for (const [name, func] of Object.entries(indexers)) {
      if (typeof func !== "function") throw new TypeError(`the index ${name} needs a function, got ${typeof func}`);
      const known = this.#indexes.get(name);
      if (known && known.func !== func) throw new Error(`indexer conflict: an index named ${name} exists already`);
    }
    for (const [name, func] of Object.entries(indexers)) {
      if (this.#indexes.has(name)) continue;
      const index = new ValueIndex(name, func);
      this.#indexes.set(name, index);
      for (const [key, object] of this.#objects) this.#file(key, filing(index, key, object, undefined));
    }
    this.#reportFailures();
  }

  byIndex(index: string, value: string): O[] {
    return this.#objectsOf(this.#indexNamed(index).keysOf(value) ?? []);
  }

  indexKeys(index: string, value: string): ObjectKey[] {
    return [...(this.#indexNamed(index).keysOf(value) ?? [])];
  }

  sharing(index: string, object: O): O[] {
    const named = this.#indexNamed(index);
    const keys = new Set<ObjectKey>();
    for (const value of named.valuesOf(object)) for (const key of named.keysOf(value) ?? []) keys.add(key);
    return this.#objectsOf(keys);
  }

  indexValues(index: string): string[] {
    return [...this.#indexNamed(index).values()];
  }

  #transformed(object: O): O {
    return this.#transform ? this.#transform(object) : object;
  }

  #objectsOf(keys: Iterable<ObjectKey>): O[] {
    const objects: O[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  #indexNamed(name: string): ValueIndex<O> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }

  /** Every index function is asked before anything is changed. */
  #put(key: ObjectKey, object: O): O | undefined {
    const old = this.#objects.get(key);
    let filings: Filing<O>[] | undefined;
    for (const index of this.#indexes.values()) {
      const changed = filing(index, key, object, old);
      if (!changed) continue;
      filings ??= [];
      filings.push(changed);
    }
    this.#objects.set(key, object);
    for (const changed of filings ?? []) this.#file(key, changed);
    return old;
  }

  #remove(key: ObjectKey): O | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    for (const index of this.#indexes.values()) index.move(key, index.placesOf(key, old), nowhere);
    this.#objects.delete(key);
    return old;
  }

  #file(key: ObjectKey, changed: Filing<O> | undefined): void {
    if (!changed) return;
    const { index, before, now, failure } = changed;
    if (!failure) index.move(key, before, now);
    else if (index.leaveOut(key, before))
      this.#failures.push(new IndexError(this.#kind, key, index.name, failure.cause));
  }

  #reportFailures(): void {
    if (this.#failures.length === 0) return;
    const failures = this.#failures;
    this.#failures = [];
    for (const failure of failures) this.#onIndexError(failure);
  }

  /** A transform may have dropped the version, or put another in its place. */
  #noteVersion(stored: unknown, came: unknown = stored): void {
    const version = metaIfAny(stored)?.resourceVersion || metaIfAny(came)?.resourceVersion;
    if (version) this.#resourceVersion = version;
  }
}

/** How an object has to be filed anew, if it has to be. */
function filing<O>(index: ValueIndex<O>, key: ObjectKey, object: O, old: O | undefined): Filing<O> | undefined {
  const before = old === undefined ? nowhere : index.placesOf(key, old);
  try {
    const now = index.valuesOf(object);
    return isSameList(before, now) && !index.isLeftOut(key) ? undefined : { index, before, now };
  } catch (cause) {
    return { index, before, now: nowhere, failure: { cause } };
  }
}

function raise(error: IndexError): never {
  throw error;
}
