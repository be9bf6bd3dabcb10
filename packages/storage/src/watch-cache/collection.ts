import type { StorageChange, StoredObject } from "../contract/storage.ts";

/** The objects of one resource in key order, and the changes that led to them. */
export class Collection {
  readonly #objects = new Map<string, StoredObject>();
  /** All keys, sorted. */
  readonly #keys: string[] = [];
  readonly #history: StorageChange[] = [];
  readonly #historyLength: number;
  /** By prefix, until something changes. */
  readonly #items = new Map<string, readonly StoredObject[]>();
  #forgottenThrough: number;

  /** @param startResourceVersion changes up to this one are not known here */
  constructor(historyLength: number, startResourceVersion: number) {
    this.#historyLength = historyLength;
    this.#forgottenThrough = startResourceVersion;
  }

  /** Puts an object there without a change that led to it. */
  put(key: string, object: StoredObject): void {
    this.#items.clear();
    if (!this.#objects.has(key)) this.#keys.splice(this.#start(key), 0, key);
    this.#objects.set(key, object);
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Writes a change and remembers it. */
  record(change: StorageChange): void {
    if (change.deleted) this.#remove(change.key);
    else this.put(change.key, change.object);
    this.#history.push(change);
    if (this.#history.length > this.#historyLength)
      this.#forgottenThrough = this.#history.shift()?.resourceVersion ?? 0;
  }

  /** The newest change that is no longer known: states older than it cannot be told. */
  get forgottenThrough(): number {
    return this.#forgottenThrough;
  }

  forgetThrough(resourceVersion: number): void {
    const keepFrom = this.#history.findIndex((change) => change.resourceVersion > resourceVersion);
    this.#history.splice(0, keepFrom < 0 ? this.#history.length : keepFrom);
    this.#forgottenThrough = Math.max(this.#forgottenThrough, resourceVersion);
  }

  /** Changes after a resource version, oldest first. */
  changesAfter(resourceVersion: number): readonly StorageChange[] {
    const newest = this.#history.at(-1);
    if (!newest || newest.resourceVersion <= resourceVersion) return [];
    return this.#history.filter((change) => change.resourceVersion > resourceVersion);
  }

  count(prefix: string): number {
    return this.#end(prefix) - this.#start(prefix);
  }

  /** Keys and objects under a prefix from a key on, in order, as they are now. */
  *entries(prefix: string, fromKey: string = prefix): IterableIterator<readonly [string, StoredObject]> {
    const end = this.#end(prefix);
    for (let index = this.#start(fromKey > prefix ? fromKey : prefix); index < end; index++) {
      const key = this.#keys[index];
      const object = key === undefined ? undefined : this.#objects.get(key);
      if (key !== undefined && object) yield [key, object];
    }
  }

  /** All objects under a prefix in order. The same array as long as nothing changes. */
  items(prefix: string): readonly StoredObject[] {
    let items = this.#items.get(prefix);
    if (!items) {
      items = Array.from(this.entries(prefix), ([, object]) => object);
      this.#items.set(prefix, items);
    }
    return items;
  }

  /** The same as it was at a resource version, which must not be forgotten: today's objects with later changes taken back. */
  *entriesAt(
    resourceVersion: number,
    prefix: string,
    fromKey: string = prefix,
  ): IterableIterator<readonly [string, StoredObject]> {
    const before = this.#before(resourceVersion, prefix, fromKey);
    const there = [...before].flatMap(([key, object]) => (object ? [[key, object] as const] : []));
    there.sort(([a], [b]) => (a < b ? -1 : 1));
    let next = 0;
    for (const entry of this.entries(prefix, fromKey)) {
      for (let old = there[next]; old && old[0] < entry[0]; old = there[next]) {
        yield old;
        next++;
      }
      if (!before.has(entry[0])) yield entry;
    }
    yield* there.slice(next);
  }

  /** How many there were from a key on. */
  countAt(resourceVersion: number, prefix: string, fromKey: string): number {
    let count = this.#end(prefix) - this.#start(fromKey);
    for (const [key, object] of this.#before(resourceVersion, prefix, fromKey))
      count += (object ? 1 : 0) - (this.#objects.has(key) ? 1 : 0);
    return count;
  }

  /** What was changed since, as it was; `undefined` for what was not there. */
  #before(resourceVersion: number, prefix: string, fromKey: string): Map<string, StoredObject | undefined> {
    const before = new Map<string, StoredObject | undefined>();
    for (const { key, previous } of this.changesAfter(resourceVersion))
      if (key >= fromKey && key.startsWith(prefix) && !before.has(key)) before.set(key, previous);
    return before;
  }

  #remove(key: string): void {
    this.#items.clear();
    if (this.#objects.delete(key)) this.#keys.splice(this.#start(key), 1);
  }

  /** Index of the first key that is not before `key`. */
  #start(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Index of the first key behind all that begin with `prefix`. */
  #end(prefix: string): number {
    const last = prefix.charCodeAt(prefix.length - 1);
    return this.#start(prefix.slice(0, -1) + String.fromCharCode(last + 1));
  }
}
