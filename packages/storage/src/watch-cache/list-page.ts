import { objectVersioner } from "../contract/object-versioner.ts";
import type { StorageListOptions, StorageListResult, StoredObject } from "../contract/storage.ts";
import { StorageError } from "../contract/storage-error.ts";
import { encodeContinue } from "./continue-token.ts";

/** The part of a collection's state that begins with the first key of a page. */
export interface ListedState {
  readonly resourceVersion: number;
  /** Keys and objects in order. They are computed as they are read. */
  readonly entries: Iterable<readonly [string, StoredObject]>;
  /** Returns the number of objects from a key on. */
  readonly countFrom: (key: string) => number;
}

/**
 * Returns up to `limit` matching objects, and a token for the rest. The cost of a page depends only on its contents,
 * not on the number of objects after it.
 */
export function listPage(
  prefix: string,
  { entries, resourceVersion, countFrom }: ListedState,
  { predicate, limit = 0 }: StorageListOptions,
): StorageListResult {
  const items: StoredObject[] = [];
  let lastKey = "";
  let remaining = 0;
  for (const [key, object] of entries) {
    if (limit > 0 && items.length === limit) {
      remaining = predicate.isEmpty ? countFrom(key) : 1; // the next page determines whether the remaining objects match
      break;
    }
    if (!predicate.matches(object)) continue;
    items.push(object);
    lastKey = key;
  }
  const startKey = `/${lastKey.slice(prefix.length)}\u0000`;
  const token = remaining > 0 ? encodeContinue({ resourceVersion, startKey }) : undefined;
  const counted = predicate.isEmpty ? remaining : undefined;
  return { items, metadata: objectVersioner.updateList(resourceVersion, token, counted) };
}

/**
 * Returns the error for a list whose state has been compacted. For the second and later pages, the error contains a
 * token with which the list can continue from the newest state.
 */
export const expiredList = (prefix: string, startKey: string | undefined): StorageError =>
  startKey === undefined
    ? new StorageError("Expired", prefix, "The resourceVersion for the provided list is too old.")
    : new StorageError("Expired", prefix, inconsistentContinue, {
        continue: encodeContinue({ resourceVersion: -1, startKey }),
      });

const inconsistentContinue =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
