import type { StorageChange, StoredObject } from "../contract/storage.ts";

/** A resource's objects, ordered by key, and the recent changes to them. */
export class Collection {
  readonly #objects = new Map<string, StoredObject>();
  /** All keys, in order. */
  readonly #keys: string[] = [];
  readonly #history: StorageChange[] = [];
  readonly #historyLength: number;
  /** Lists of objects by prefix. They are cached until an object changes. */
  readonly #items = new Map<string, readonly StoredObject[]>();
  #forgottenThrough: number;

  /** Creates an empty collection. @param startResourceVersion version up to which changes are unknown */
  constructor(historyLength: number, startResourceVersion: number) {
    this.#historyLength = historyLength;
    this.#forgottenThrough = startResourceVersion;
  }

  /** Adds an object without recording a change. */
  put(key: string, object: StoredObject): void {
    this.#items.clear();
    if (!this.#objects.has(key)) this.#keys.splice(this.#start(key), 0, key);
    this.#objects.set(key, object);
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Applies and records a change. */
  record(change: StorageChange): void {
    if (change.deleted) this.#remove(change.key);
    else this.put(change.key, change.object);
    this.#history.push(change);
    if (this.#history.length > this.#historyLength)
      this.#forgottenThrough = this.#history.shift()?.resourceVersion ?? 0;
  }

  /** Version of the newest change that was dropped. Older states are not available. */
  get forgottenThrough(): number {
    return this.#forgottenThrough;
  }

  forgetThrough(resourceVersion: number): void {
    const keepFrom = this.#history.findIndex((change) => change.resourceVersion > resourceVersion);
    this.#history.splice(0, keepFrom < 0 ? this.#history.length : keepFrom);
    this.#forgottenThrough = Math.max(this.#forgottenThrough, resourceVersion);
  }

  /** Returns the changes after a resource version, oldest first. */
  changesAfter(resourceVersion: number): readonly StorageChange[] {
    const newest = this.#history.at(-1);
    if (!newest || newest.resourceVersion <= resourceVersion) return [];
    return this.#history.filter((change) => change.resourceVersion > resourceVersion);
  }

  count(prefix: string): number {
    return this.#end(prefix) - this.#start(prefix);
  }

  /** Yields the current keys and objects under a prefix, in order and starting at a key. */
  *entries(prefix: string, fromKey: string = prefix): IterableIterator<readonly [string, StoredObject]> {
    const end = this.#end(prefix);
    for (let index = this.#start(fromKey > prefix ? fromKey : prefix); index < end; index++) {
      const key = this.#keys[index];
      const object = key === undefined ? undefined : this.#objects.get(key);
      if (key !== undefined && object) yield [key, object];
    }
  }

  /** Returns all objects under a prefix, in order. Returns the same array until an object changes. */
  items(prefix: string): readonly StoredObject[] {
    let items = this.#items.get(prefix);
    if (!items) {
      items = Array.from(this.entries(prefix), ([, object]) => object);
      this.#items.set(prefix, items);
    }
    return items;
  }

  /** Yields the keys and objects at a past resource version, by undoing the later changes. These changes must not have been dropped. */
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

  /** Returns the number of objects under a prefix at a past resource version, starting at a key. */
  countAt(resourceVersion: number, prefix: string, fromKey: string): number {
    let count = this.#end(prefix) - this.#start(fromKey);
    for (const [key, object] of this.#before(resourceVersion, prefix, fromKey))
      count += (object ? 1 : 0) - (this.#objects.has(key) ? 1 : 0);
    return count;
  }

  /** Returns, for each object that has changed since a resource version, its state at that version, or `undefined` if it did not exist. */
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

  /** Returns the index of the first key that is equal to or after `key`. */
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

  /** Returns the index of the first key after all keys that start with `prefix`. */
  #end(prefix: string): number {
    const last = prefix.charCodeAt(prefix.length - 1);
    return this.#start(prefix.slice(0, -1) + String.fromCharCode(last + 1));
  }
}
