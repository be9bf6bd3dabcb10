import type { StorageChange } from "../contract/storage.ts";
import type { MemoryWatch } from "./memory-watch.ts";

/**
 * An index of running watches by scope: a resource, a namespace or a key. Changes are passed only to watches whose
 * scope contains them.
 */
export class WatchIndex {
  readonly #byPrefix = new Map<string, Set<MemoryWatch>>();

  add(prefix: string, watch: MemoryWatch): void {
    const watches = this.#byPrefix.get(prefix);
    if (watches) watches.add(watch);
    else this.#byPrefix.set(prefix, new Set([watch]));
  }

  remove(prefix: string, watch: MemoryWatch): void {
    const watches = this.#byPrefix.get(prefix);
    watches?.delete(watch);
    if (watches?.size === 0) this.#byPrefix.delete(prefix);
  }

  offer(change: StorageChange): void {
    for (const prefix of prefixesOf(change.key))
      for (const watch of this.#byPrefix.get(prefix) ?? []) watch.offer(change);
  }

  endAll(): void {
    for (const watches of [...this.#byPrefix.values()]) for (const watch of [...watches]) watch.end();
  }
}

/** Yields a key and its prefixes: `/g/r/`, `/g/r/ns/`, and the key itself. */
function* prefixesOf(key: string): IterableIterator<string> {
  let slash = key.indexOf("/", key.indexOf("/", 1) + 1);
  for (; slash >= 0; slash = key.indexOf("/", slash + 1)) yield key.slice(0, slash + 1);
  yield key;
}
