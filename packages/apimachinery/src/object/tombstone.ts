import type { ObjectKey } from "./key.ts";

/**
 * Represents an object whose deletion was missed, for example because a watch was interrupted. The key is correct, but
 * the state may be outdated.
 *
 * @see client-go tools/cache DeletedFinalStateUnknown
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: ObjectKey;
  /** Last known state of the object. */
  readonly object: T;

  constructor(key: ObjectKey, object: T) {
    this.key = key;
    this.object = object;
  }
}

/** Reports whether the value is a {@link DeletedFinalStateUnknown} instead of an object. */
export const isDeletedFinalStateUnknown = <T>(
  value: T | DeletedFinalStateUnknown<T>,
): value is DeletedFinalStateUnknown<T> => value instanceof DeletedFinalStateUnknown;
