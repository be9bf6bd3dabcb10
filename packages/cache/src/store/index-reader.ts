import type { ObjectKey } from "@kubewright/apimachinery";

/**
 * The reading side of an {@link Indexer}. Lists are new arrays in no particular order; the objects in them are the stored ones.
 *
 * @see client-go tools/cache/store.go Store, index.go Indexer
 */
export interface IndexReader<O> {
  /** How many objects there are. */
  readonly size: number;
  /** The resource version of the content; empty before the first change. */
  readonly resourceVersion: string;
  /** The object under a key, `namespace/name` or `name` unless the store makes others. */
  get(key: ObjectKey): O | undefined;
  has(key: ObjectKey): boolean;
  list(): O[];
  /** The objects of {@link list} one by one, for a search that may end early. It ends before the store changes. */
  values(): Iterable<O>;
  keys(): ObjectKey[];
  /** The objects filed under a value. @throws {Error} if there is no such index */
  byIndex(index: string, value: string): O[];
  /** {@link byIndex} as {@link values} has it. @throws {Error} if there is no such index */
  valuesByIndex(index: string, value: string): Iterable<O>;
  /** Reports whether the object of a key is filed under a value. @throws {Error} if there is no such index */
  isFiled(index: string, value: string, key: ObjectKey): boolean;
  /** The keys of the objects filed under a value. @throws {Error} if there is no such index */
  indexKeys(index: string, value: string): ObjectKey[];
  /** The objects that have a value in common with `object`, each once. @throws {Error} if there is no such index */
  sharing(index: string, object: O): O[];
  /** The values under which any object is filed. @throws {Error} if there is no such index */
  indexValues(index: string): string[];
  /** The names of the indexes. */
  readonly indexNames: readonly string[];
}
