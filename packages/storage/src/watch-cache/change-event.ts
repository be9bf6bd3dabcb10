import { freezeTree } from "../contract/freeze-tree.ts";
import { objectVersioner } from "../contract/object-versioner.ts";
import type { SelectionPredicate, StorageChange, StorageEvent, StoredObject } from "../contract/storage.ts";

const departures = new WeakMap<StorageChange, StoredObject>();

/**
 * Returns the event that a watcher receives for a change: ADDED for an object that starts to match, and DELETED for one that stops
 * matching. Returns `undefined` if the object matches neither before nor after the change.
 */
export function eventOf(change: StorageChange, predicate: SelectionPredicate): StorageEvent | undefined {
  const { resourceVersion, previous, deleted, object } = change;
  const before = previous !== undefined && predicate.matches(previous);
  const after = !deleted && predicate.matches(object);
  if (after) return { type: before ? "MODIFIED" : "ADDED", object, resourceVersion, change };
  if (!before) return undefined;
  return { type: "DELETED", object: deleted ? object : departure(change, previous), resourceVersion, change };
}

/** Returns the state before a change, with the resource version of the change. All watchers get the same object. */
function departure(change: StorageChange, previous: StoredObject): StoredObject {
  let object = departures.get(change);
  if (!object) {
    object = freezeTree(objectVersioner.updateObject(previous, change.resourceVersion));
    departures.set(change, object);
  }
  return object;
}
