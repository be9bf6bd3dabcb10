import type { ObjectKey } from "@kubewright/apimachinery";
import { deletionHandlingKeyOf, metaIfAny } from "./object-meta.ts";

/** The values under which an object is filed in an index. */
export type IndexFunc<O> = (object: O) => readonly string[];

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

/** Some writes of a transaction could not be made. */
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
}

type Index = Map<string, Set<ObjectKey>>;

/** An object that is filed elsewhere than it was. */
interface Filing {
  readonly index: Index;
  readonly before: readonly string[];
  readonly now: readonly string[];
}

const nowhere: readonly string[] = [];

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Objects by key, and by whatever else they are looked for. One entry a key; reading copies nothing but the list itself.
 *
 * @see client-go tools/cache/store.go Indexer, thread_safe_store.go
 */
export class Indexer<O> implements IndexReader<O> {
  readonly #keyOf: (object: unknown) => ObjectKey;
  readonly #transform: ((object: O) => O) | undefined;
  readonly #objects = new Map<ObjectKey, O>();
  readonly #funcs = new Map<string, IndexFunc<O>>();
  readonly #indices = new Map<string, Index>();
  #resourceVersion = "";

  constructor(options: IndexerOptions<O> = {}) {
    this.#keyOf = options.keyOf ?? deletionHandlingKeyOf;
    this.#transform = options.transform;
    this.addIndexers(options.indexers ?? {});
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexNames(): readonly string[] {
    return [...this.#funcs.keys()];
  }

  /** @throws {KeyError} if no key can be made of the object */
  add(object: O): void {
    this.update(object);
  }

  /**
   * @returns what was stored before under the same key
   * @throws {KeyError} if no key can be made of the object
   */
  update(object: O): O | undefined {
    const old = this.#put(this.#keyOf(object), this.#transformed(object));
    this.#noteVersion(object);
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

  /** Leaves exactly these objects. @throws {KeyError} if no key can be made of one; then nothing is changed */
  replace(objects: readonly O[], resourceVersion = ""): void {
    const next = new Map(objects.map((object) => [this.#keyOf(object), this.#transformed(object)]));
    for (const key of this.#objects.keys()) if (!next.has(key)) this.#remove(key);
    for (const [key, object] of next) this.#put(key, object);
    this.#resourceVersion = resourceVersion;
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
   */
  addIndexers(indexers: Indexers<O>): void {
    for (const [name, func] of Object.entries(indexers)) {
      const known = this.#funcs.get(name);
      if (known && known !== func) throw new Error(`indexer conflict: an index named ${name} exists already`);
    }
    for (const [name, func] of Object.entries(indexers)) {
      if (this.#funcs.has(name)) continue;
      const index: Index = new Map();
      this.#funcs.set(name, func);
      this.#indices.set(name, index);
      for (const [key, object] of this.#objects) for (const value of func(object)) file(index, value, key);
    }
  }

  byIndex(index: string, value: string): O[] {
    return this.#objectsOf(this.#valuesOf(index).get(value) ?? []);
  }

  indexKeys(index: string, value: string): ObjectKey[] {
    return [...(this.#valuesOf(index).get(value) ?? [])];
  }

  sharing(index: string, object: O): O[] {
    const values = this.#valuesOf(index);
    const keys = (this.#funcs.get(index)?.(object) ?? []).flatMap((value) => [...(values.get(value) ?? [])]);
    return this.#objectsOf(new Set(keys));
  }

  indexValues(index: string): string[] {
    return [...this.#valuesOf(index).keys()];
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

  #valuesOf(name: string): Index {
    const index = this.#indices.get(name);
    if (!index) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }

  /** Index functions are the user's and may throw: they are all asked before anything is changed. */
  #put(key: ObjectKey, object: O): O | undefined {
    const old = this.#objects.get(key);
    let filings: Filing[] | undefined;
    for (const [name, func] of this.#funcs) {
      const before = old === undefined ? nowhere : func(old);
      const now = func(object);
      if (isSameList(before, now)) continue;
      filings ??= [];
      filings.push({ index: this.#valuesOf(name), before, now });
    }
    this.#objects.set(key, object);
    for (const { index, before, now } of filings ?? []) {
      for (const value of before) if (!now.includes(value)) unfile(index, value, key);
      for (const value of now) if (!before.includes(value)) file(index, value, key);
    }
    return old;
  }

  #remove(key: ObjectKey): O | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const [name, func] of this.#funcs) for (const value of func(old)) unfile(this.#valuesOf(name), value, key);
    return old;
  }

  #noteVersion(object: unknown): void {
    const version = metaIfAny(object)?.resourceVersion;
    if (version) this.#resourceVersion = version;
  }
}

function file(index: Index, value: string, key: ObjectKey): void {
  const keys = index.get(value);
  if (keys) keys.add(key);
  else index.set(value, new Set([key]));
}

function unfile(index: Index, value: string, key: ObjectKey): void {
  const keys = index.get(value);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(value); // values come and go; without this the index would only grow
}
