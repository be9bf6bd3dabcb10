import type { ObjectKey } from "@kubewright/apimachinery";
import { IndexError } from "./index-error.ts";
import { type Filing, type IndexFunc, ValueIndex } from "./value-index.ts";

/** Index functions, by the name of the index. */
export type Indexers<O> = Readonly<Record<string, IndexFunc<O>>>;

/**
 * The indexes of an `Indexer`. Filing an object takes two steps, so that every index function is called before anything is changed:
 * {@link filingsOf}, then {@link file}. Errors of the functions are collected for {@link reportFailures}.
 */
export class IndexSet<O> {
  readonly #indexes = new Map<string, ValueIndex<O>>();
  readonly #kind: string;
  readonly #onError: (error: IndexError) => void;
  #failures: IndexError[] = [];

  /** @param kind kind of the objects, for errors */
  constructor(kind: string, onError: (error: IndexError) => void) {
    this.#kind = kind;
    this.#onError = onError;
  }

  get names(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /** @throws {Error} if there is no such index */
  named(name: string): ValueIndex<O> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }

  /**
   * Adds indexes and files objects in them. An existing index with the same function is left unchanged.
   *
   * @throws {Error} if there is an index of that name with a different function; nothing is added
   * @throws {TypeError} if an index function is not a function; nothing is added
   */
  add(indexers: Indexers<O>, objects: ReadonlyMap<ObjectKey, O>): void {
    for (const [name, func] of Object.entries(indexers)) {
      if (typeof func !== "function") throw new TypeError(`the index ${name} needs a function, got ${typeof func}`);
      const known = this.#indexes.get(name);
      if (known && known.func !== func) throw new Error(`indexer conflict: an index named ${name} already exists`);
    }
    for (const [name, func] of Object.entries(indexers)) {
      if (this.#indexes.has(name)) continue;
      const index = new ValueIndex(name, func);
      this.#indexes.set(name, index);
      for (const [key, object] of objects) this.#fileIn(key, index.filingOf(key, object, undefined));
    }
  }

  /** Returns how to file an object that replaces `old`; `undefined` if its place in all indexes is unchanged. */
  filingsOf(key: ObjectKey, object: O, old: O | undefined): readonly Filing<O>[] | undefined {
    let filings: Filing<O>[] | undefined;
    for (const index of this.#indexes.values()) {
      const filing = index.filingOf(key, object, old);
      if (!filing) continue;
      filings ??= [];
      filings.push(filing);
    }
    return filings;
  }

  file(key: ObjectKey, filings: readonly Filing<O>[]): void {
    for (const filing of filings) this.#fileIn(key, filing);
  }

  /** Removes a stored object from all indexes. */
  remove(key: ObjectKey, object: O): void {
    for (const index of this.#indexes.values()) index.remove(key, object);
  }

  /** Passes each failure since the last call to the handler. If the handler throws, the remaining failures are lost. */
  reportFailures(): void {
    if (this.#failures.length === 0) return;
    const failures = this.#failures;
    this.#failures = [];
    for (const failure of failures) this.#onError(failure);
  }

  #fileIn(key: ObjectKey, filing: Filing<O> | undefined): void {
    if (!filing) return;
    const { index, before, now, failure } = filing;
    if (!failure) index.move(key, before, now);
    else if (index.leaveOut(key, before))
      this.#failures.push(new IndexError(this.#kind, key, index.name, failure.cause));
  }
}
