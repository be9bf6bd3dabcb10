import type { ObjectKey } from "@kubewright/apimachinery";

/** Returns the values under which an index files an object; an empty array leaves it out. @see client-go tools/cache IndexFunc */
export type IndexFunc<O> = (object: O) => readonly string[];

/** How to file an object in one index. */
export interface Filing<O> {
  readonly index: ValueIndex<O>;
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** Set if the index function failed, so that the values are unknown. */
  readonly failure?: { readonly cause: unknown };
}

const nowhere: readonly string[] = [];

/** Up to this many values are searched one by one; more are put into a set. */
const fewValues = 8;

/** One index of an `Indexer`: the keys filed under each value. */
export class ValueIndex<O> {
  readonly name: string;
  readonly func: IndexFunc<O>;
  readonly #keys = new Map<string, Set<ObjectKey>>();
  readonly #leftOut = new Set<ObjectKey>();

  constructor(name: string, func: IndexFunc<O>) {
    this.name = name;
    this.func = func;
  }

  /** Returns the keys filed under a value. */
  keysOf(value: string): ReadonlySet<ObjectKey> | undefined {
    return this.#keys.get(value);
  }

  /** Returns the values under which keys are filed. */
  values(): IterableIterator<string> {
    return this.#keys.keys();
  }

  /**
   * Returns the values under which to file an object.
   *
   * @throws any error of the index function; {TypeError} if it does not return an array of strings
   */
  valuesOf(object: O): readonly string[] {
    return checkedValues(this.func(object));
  }

  /** Returns how to file an object that replaces `old`; `undefined` if its place is unchanged. Changes nothing, and does not throw. */
  filingOf(key: ObjectKey, object: O, old: O | undefined): Filing<O> | undefined {
    const before = old === undefined ? nowhere : this.#placesOf(key, old);
    try {
      const now = this.valuesOf(object);
      return isSameList(before, now) && !this.#isLeftOut(key) ? undefined : { index: this, before, now };
    } catch (cause) {
      return { index: this, before, now: nowhere, failure: { cause } };
    }
  }

  /** Removes a key from the values of `before` and files it under those of `now`. */
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

  /** Leaves out an object that the index function failed for. @returns true if it was not left out before */
  leaveOut(key: ObjectKey, before: readonly string[]): boolean {
    for (const value of before) this.#unfile(value, key);
    const known = this.#leftOut.size;
    return this.#leftOut.add(key).size > known;
  }

  /** Returns the values under which a stored object is currently filed. */
  #placesOf(key: ObjectKey, object: O): readonly string[] {
    if (this.#isLeftOut(key)) return nowhere;
    try {
      return this.valuesOf(object);
    } catch {
      // The function succeeded when the object was filed, so the index itself must be searched.
      return [...this.#keys].flatMap(([value, keys]) => (keys.has(key) ? [value] : []));
    }
  }

  /** Reports whether the index function failed for the object under this key. */
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

/** Validates the return value of an index function. @throws {TypeError} if it is not an array of strings */
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
  value.catch(() => {}); // not awaited, so its rejection is ignored
  return "a promise";
}
