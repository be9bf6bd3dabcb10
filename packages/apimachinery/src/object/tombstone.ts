import type { ObjectKey } from "./key.ts";

/**
 * Stands in for an object whose deletion was missed (a watch was cut): the key is right, the last known state may be old.
 *
 * @see client-go tools/cache DeletedFinalStateUnknown
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: ObjectKey;
  /** The last state that was seen. */
  readonly object: T;

  constructor(key: ObjectKey, object: T) {
    this.key = key;
    this.object = object;
  }
}

/** Whether this is a tombstone rather than an object: {@link DeletedFinalStateUnknown}. */
export const isDeletedFinalStateUnknown = <T>(
  value: T | DeletedFinalStateUnknown<T>,
): value is DeletedFinalStateUnknown<T> => value instanceof DeletedFinalStateUnknown;
