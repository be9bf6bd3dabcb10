import type { ObjectKey } from "@kubewright/apimachinery";

/** The values under which an object is filed in an index. */
export type IndexFunc<O> = (object: O) => readonly string[];

/** An index function failed on an object: the object is stored, and is left out of that index until the function succeeds on it. */
export class IndexError extends Error {
  override readonly name = "IndexError";
  /** What the objects are: `apps/v1, Kind=Deployment`. */
  readonly kind: string;
  readonly key: ObjectKey;
  readonly index: string;

  constructor(kind: string, key: ObjectKey, index: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${kind} ${key} is left out of the index "${index}": ${why}`, { cause });
    this.kind = kind;
    this.key = key;
    this.index = index;
  }
}

/** No values. */
export const nowhere: readonly string[] = [];

/** So many values are compared one with another; of more, sets are made. */
const fewValues = 8;

/** One index of a store: which keys are filed under which value. */
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

  /** The values under which anything is filed. */
  values(): IterableIterator<string> {
    return this.#keys.keys();
  }

  /** Where an object is to be filed. @throws whatever the function throws; {TypeError} if what it returns is no array of strings */
  valuesOf(object: O): readonly string[] {
    return checkedValues(this.func(object));
  }

  /** Where an object is filed now. */
  placesOf(key: ObjectKey, object: O): readonly string[] {
    if (this.isLeftOut(key)) return nowhere;
    try {
      return this.valuesOf(object);
    } catch {
      // It succeeded when the object was filed: whatever changed its mind, the object has to be found.
      return [...this.#keys].flatMap(([value, keys]) => (keys.has(key) ? [value] : []));
    }
  }

  isLeftOut(key: ObjectKey): boolean {
    return this.#leftOut.size > 0 && this.#leftOut.has(key);
  }

  /** Files an object elsewhere than before. */
  move(key: ObjectKey, before: readonly string[], now: readonly string[]): void {
    if (this.#leftOut.size > 0) this.#leftOut.delete(key);
    const had = lookup(before);
    const has = lookup(now);
    for (const value of before) if (!has(value)) this.#unfile(value, key);
    for (const value of now) if (!had(value)) this.#file(value, key);
  }

  /** Files an object nowhere, as it is not known where. @returns whether that is new */
  leaveOut(key: ObjectKey, before: readonly string[]): boolean {
    for (const value of before) this.#unfile(value, key);
    const known = this.#leftOut.size;
    return this.#leftOut.add(key).size > known;
  }

  #file(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    if (keys) keys.add(key);
    else this.#keys.set(value, new Set([key]));
  }

  #unfile(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value); // values come and go; without this the index would only grow
  }
}

function lookup(values: readonly string[]): (value: string) => boolean {
  if (values.length <= fewValues) return (value) => values.includes(value);
  const set = new Set(values);
  return (value) => set.has(value);
}

/** What an index function returned, if it is what it should be. @throws {TypeError} otherwise */
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
