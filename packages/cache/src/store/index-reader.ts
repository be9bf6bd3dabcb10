import type { ObjectKey } from "@kubewright/apimachinery";

/**
 * The read methods of an {@link Indexer}. Lists are new arrays in no particular order; the objects in them are the stored ones.
 *
 * @see client-go tools/cache/store.go Store, index.go Indexer
 */
export interface IndexReader<O> {
  /** Number of objects. */
  readonly size: number;
  /** Resource version of the content; empty before the first change. */
  readonly resourceVersion: string;
  /** Returns the object under a key: `namespace/name` or `name`, unless the store uses other keys. */
  get(key: ObjectKey): O | undefined;
  has(key: ObjectKey): boolean;
  list(): O[];
  /** Yields the objects of {@link list} one by one, for a search that may end early. Must be finished before the store changes. */
  values(): Iterable<O>;
  keys(): ObjectKey[];
  /** Returns the objects filed under a value. @throws {Error} if there is no such index */
  byIndex(index: string, value: string): O[];
  /** Yields the objects of {@link byIndex} one by one; see {@link values}. @throws {Error} if there is no such index */
  valuesByIndex(index: string, value: string): Iterable<O>;
  /** Reports whether the object under a key is filed under a value. @throws {Error} if there is no such index */
  isFiled(index: string, value: string, key: ObjectKey): boolean;
  /** Returns the keys of the objects filed under a value. @throws {Error} if there is no such index */
  indexKeys(index: string, value: string): ObjectKey[];
  /** Returns the objects that have an index value in common with `object`, each once. @throws {Error} if there is no such index */
  sharing(index: string, object: O): O[];
  /** Returns the values under which objects are filed. @throws {Error} if there is no such index */
  indexValues(index: string): string[];
  /** Names of the indexes. */
  readonly indexNames: readonly string[];
}
