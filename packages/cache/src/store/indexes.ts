import type { ObjectKey } from "@kubewright/apimachinery";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";
import { errorText, type Logger } from "@kubewright/log";

/**
 * Returns an object's index values. If the array is empty, the object is not added to the index.
 *
 * @see client-go tools/cache IndexFunc
 */
export type IndexFunc<O> = (object: O) => readonly string[];

/** Name of the namespace index, which every `SharedInformer` has. */
export const namespaceIndex = "namespace";

/**
 * Indexes objects by namespace. For cluster-scoped objects, the index value is `""`.
 *
 * @see client-go tools/cache MetaNamespaceIndexFunc
 */
export const byNamespace: IndexFunc<
  { readonly metadata?: { readonly namespace?: string | undefined } | undefined } | null | undefined
> = (object) => [object?.metadata?.namespace ?? ""];

/** A change of an object's values in one index. */
interface Filing<O> {
  readonly index: ValueIndex<O>;
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** Set if the index function failed, so that the values are unknown. */
  readonly failure?: { readonly cause: unknown };
}

const nowhere: readonly string[] = [];

/** Number of values up to which a linear search is used. More values are put into a set. */
const fewValues = 8;

/** One index of an `Indexer`: the keys of each value. */
class ValueIndex<O> {
  readonly name: string;
  readonly func: IndexFunc<O>;
  readonly #keys = new Map<string, Set<ObjectKey>>();
  readonly #leftOut = new Set<ObjectKey>();

  constructor(name: string, func: IndexFunc<O>) {
    this.name = name;
    this.func = func;
  }

  /** Returns the keys that are indexed under a value. */
  keysOf(value: string): ReadonlySet<ObjectKey> | undefined {
    return this.#keys.get(value);
  }

  /** Returns the values under which keys are indexed. */
  values(): IterableIterator<string> {
    return this.#keys.keys();
  }

  /**
   * Returns an object's index values.
   *
   * @throws any error of the index function; {TypeError} if it does not return an array of strings
   */
  valuesOf(object: O): readonly string[] {
    return checkedValues(this.func(object));
  }

  /**
   * Returns the index change for an object that replaces `old`, or `undefined` if its values are unchanged. Has no side
   * effects and does not throw.
   */
  filingOf(key: ObjectKey, object: O, old: O | undefined): Filing<O> | undefined {
    const before = old === undefined ? nowhere : this.#placesOf(key, old);
    try {
      const now = this.valuesOf(object);
      return isSameList(before, now) && !this.#isLeftOut(key) ? undefined : { index: this, before, now };
    } catch (cause) {
      return { index: this, before, now: nowhere, failure: { cause } };
    }
  }

  /** Removes a key from the values in `before` and adds it to the values in `now`. */
  move(key: ObjectKey, before: readonly string[], now: readonly string[]): void {
    if (this.#leftOut.size > 0) this.#leftOut.delete(key);
    const had = lookup(before);
    const has = lookup(now);
    for (const value of before) if (!has(value)) this.#unfile(value, key);
    for (const value of now) if (!had(value)) this.#file(value, key);
  }

  /** Removes a stored object from the index. */
  remove(key: ObjectKey, object: O): void {
    this.move(key, this.#placesOf(key, object), nowhere);
  }

  /** Omits an object whose index function failed. @returns true if the object was not omitted before */
  leaveOut(key: ObjectKey, before: readonly string[]): boolean {
    for (const value of before) this.#unfile(value, key);
    const known = this.#leftOut.size;
    return this.#leftOut.add(key).size > known;
  }

  /** Returns the values under which a stored object is currently indexed. */
  #placesOf(key: ObjectKey, object: O): readonly string[] {
    if (this.#isLeftOut(key)) return nowhere;
    try {
      return this.valuesOf(object);
    } catch {
      // The function succeeded when the object was indexed, so the index itself must be searched.
      return [...this.#keys].flatMap(([value, keys]) => (keys.has(key) ? [value] : []));
    }
  }

  /** Reports whether the index function failed for the object with this key. */
  #isLeftOut(key: ObjectKey): boolean {
    return this.#leftOut.size > 0 && this.#leftOut.has(key);
  }

  #file(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    if (keys) keys.add(key);
    else this.#keys.set(value, new Set([key]));
  }

  #unfile(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value); // values come and go; the index must not grow forever
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function lookup(values: readonly string[]): (value: string) => boolean {
  if (values.length <= fewValues) return (value) => values.includes(value);
  const set = new Set(values);
  return (value) => set.has(value);
}

/** Validates and returns the result of an index function. @throws {TypeError} if it is not an array of strings */
export function checkedValues(values: unknown): readonly string[] {
  if (!Array.isArray(values))
    throw new TypeError(`an index function must return an array of strings, not ${shown(values)}`);
  for (let i = 0; i < values.length; i++)
    if (typeof values[i] !== "string")
      throw new TypeError(`an index function must return an array of strings, but element ${i} is ${shown(values[i])}`);
  return values;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 50));
  if (typeof value !== "object" || value === null) return typeof value === "function" ? "a function" : String(value);
  if (!(value instanceof Promise)) return `a value of type ${value.constructor?.name ?? "object"}`;
  value.catch(() => {}); // not awaited, so its rejection is ignored
  return "a promise";
}

/** Index functions, keyed by index name. */
export type Indexers<O> = Readonly<Record<string, IndexFunc<O>>>;

/**
 * The indexes of an `Indexer`. Objects are indexed in two steps, {@link filingsOf} and {@link file}, so that all index
 * functions are called before anything changes. Errors thrown by index functions are collected in {@link failures}.
 */
export class IndexSet<O> {
  readonly #indexes = new Map<string, ValueIndex<O>>();
  readonly #kind: string;
  /** Errors of index functions, which the owner reports and removes. */
  failures: IndexError[] = [];

  /** @param kind kind of the objects, for error messages */
  constructor(kind: string) {
    this.#kind = kind;
  }

  get names(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /** Returns an index. @throws {Error} if the index does not exist */
  named(name: string): ValueIndex<O> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }

  /**
   * Adds indexes and indexes the objects. An existing index with the same function is left unchanged.
   *
   * @throws {Error} if an index of that name has a different function; nothing is added
   * @throws {TypeError} if an index function is not a function; nothing is added
   */
  add(indexers: Indexers<O>, objects: ReadonlyMap<ObjectKey, O>): void {
    for (const [name, func] of Object.entries(indexers)) {
      if (typeof func !== "function") throw new TypeError(`the index ${name} requires a function, got ${typeof func}`);
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

  /**
   * Returns the index changes for an object that replaces `old`, or `undefined` if its values in all indexes are
   * unchanged.
   */
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

  #fileIn(key: ObjectKey, filing: Filing<O> | undefined): void {
    if (!filing) return;
    const { index, before, now, failure } = filing;
    if (!failure) index.move(key, before, now);
    else if (index.leaveOut(key, before))
      this.failures.push(new IndexError(this.#kind, key, index.name, failure.cause));
  }
}

/**
 * Reports that an index function threw for an object or did not return an array of strings. The object is stored, but
 * missing from that index until the function succeeds for it. `cause` is the original error.
 */
export class IndexError extends KubewrightError {
  override readonly name = "IndexError";
  readonly code = "ERR_INDEX";
  /** The object's kind: `apps/v1, Kind=Deployment`. */
  readonly kind: string;
  /** The object's key. */
  readonly key: ObjectKey;
  /** Name of the index. */
  readonly index: string;

  constructor(kind: string, key: ObjectKey, index: string, cause: unknown) {
    const why = errorText(cause);
    super(`${kind} ${key} is omitted from the index "${index}": ${why}`, { cause });
    this.kind = kind;
    this.key = key;
    this.index = index;
  }
}

/** Reports whether an error is an {@link IndexError}. */
export const isIndexError = isErrorWithCode<IndexError>("ERR_INDEX");

/** Returns a function for `IndexerOptions.onIndexError` that logs the errors. */
export const indexErrorLog =
  (logger: Logger) =>
  (err: IndexError): void =>
    logger.error(
      { err, kind: err.kind, object: err.key, index: err.index },
      "an index function failed; the object is omitted from that index",
    );
