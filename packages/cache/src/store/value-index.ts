import type { ObjectKey } from "@kubewright/apimachinery";

/** The values under which an index files an object; none leaves it out. @see client-go tools/cache IndexFunc */
export type IndexFunc<O> = (object: O) => readonly string[];

/** How an object must be filed anew in one index. */
export interface Filing<O> {
  readonly index: ValueIndex<O>;
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** Set if the index function failed, so that it is not known where to file the object. */
  readonly failure?: { readonly cause: unknown };
}

/** No values. */
const nowhere: readonly string[] = [];

/** Up to this many values are searched one by one; more are put into a set. */
const fewValues = 8;

/** One index of an `Indexer`: which keys are filed under which value. */
export class ValueIndex<O> {
  readonly name: string;
  readonly func: IndexFunc<O>;
  readonly #keys = new Map<string, Set<ObjectKey>>();
  readonly #leftOut = new Set<ObjectKey>();

  constructor(name: string, func: IndexFunc<O>) {
    this.name = name;
    this.func = func;
  }

  /** The keys filed under a value. */
  keysOf(value: string): ReadonlySet<ObjectKey> | undefined {
    return this.#keys.get(value);
  }

  /** The values under which any key is filed. */
  values(): IterableIterator<string> {
    return this.#keys.keys();
  }

  /**
   * The values under which an object is to be filed.
   *
   * @throws whatever the index function throws; {TypeError} if it does not return an array of strings
   */
  valuesOf(object: O): readonly string[] {
    return checkedValues(this.func(object));
  }

  /**
   * How an object must be filed when it takes the place of `old`; `undefined` if it stays where it is. Changes nothing, and does not
   * throw.
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

  /** Takes a key from the values of `before` and files it under those of `now`. */
  move(key: ObjectKey, before: readonly string[], now: readonly string[]): void {
    if (this.#leftOut.size > 0) this.#leftOut.delete(key);
    const had = lookup(before);
    const has = lookup(now);
    for (const value of before) if (!has(value)) this.#unfile(value, key);
    for (const value of now) if (!had(value)) this.#file(value, key);
  }

  /** Takes a stored object out of the index. */
  remove(key: ObjectKey, object: O): void {
    this.move(key, this.#placesOf(key, object), nowhere);
  }

  /** Leaves out an object that the index function failed on. @returns whether it was not left out before */
  leaveOut(key: ObjectKey, before: readonly string[]): boolean {
    for (const value of before) this.#unfile(value, key);
    const known = this.#leftOut.size;
    return this.#leftOut.add(key).size > known;
  }

  /** The values under which a stored object is filed now. */
  #placesOf(key: ObjectKey, object: O): readonly string[] {
    if (this.#isLeftOut(key)) return nowhere;
    try {
      return this.valuesOf(object);
    } catch {
      // The function succeeded when the object was filed. Now the index itself must be searched.
      return [...this.#keys].flatMap(([value, keys]) => (keys.has(key) ? [value] : []));
    }
  }

  /** Whether the index function failed on the object of this key. */
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
    if (keys?.size === 0) this.#keys.delete(value); // values come and go; the index must not only grow
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

/** The return value of an index function. @throws {TypeError} if it is not an array of strings */
export function checkedValues(values: unknown): readonly string[] {
  if (!Array.isArray(values))
    throw new TypeError(`an index function must return an array of strings, not ${shown(values)}`);
  for (let i = 0; i < values.length; i++)
    if (typeof values[i] !== "string")
      throw new TypeError(`an index function must return an array of strings, and [${i}] is ${shown(values[i])}`);
  return values;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 50));
  if (typeof value !== "object" || value === null) return typeof value === "function" ? "a function" : String(value);
  if (!(value instanceof Promise)) return `a value of type ${value.constructor?.name ?? "object"}`;
  value.catch(() => {}); // nobody waits for it, so nobody hears how it ends
  return "a promise";
}
