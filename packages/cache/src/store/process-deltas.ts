import { DeletedFinalStateUnknown, isDeletedFinalStateUnknown } from "@kubewright/apimachinery";
import type { Delta } from "./delta-fifo.ts";
import { type Indexer, TransactionError } from "./indexer.ts";

/** Who is told of what changed in a store, after it changed. */
export interface ChangeSink<O> {
  onAdd(object: O, isInInitialList: boolean): void;
  /** `isNewHistory`: the two may differ although their versions are the same. */
  onUpdate(old: O, object: O, isNewHistory?: boolean): void;
  onDelete(object: O | DeletedFinalStateUnknown<O>): void;
  /** An object that did not change is told of again, to whoever is due for it. */
  onSync(object: O): void;
  /** Everything has been told that is to be told of one entry. */
  onApplied?(): void;
}

/**
 * Applies entries of a queue to a store and tells of each change.
 *
 * @throws {TransactionError} after the others were applied, if some could not be
 * @see client-go tools/cache processDeltas, processDeltasInBatch
 */
export function processDeltas<O>(
  deltas: readonly Delta<O>[],
  store: Indexer<O>,
  sink: ChangeSink<O>,
  isInInitialList: boolean,
): void {
  const failures = new Map<number, unknown>();
  for (let index = 0; index < deltas.length; index++) {
    try {
      processDelta(deltas[index] as Delta<O>, store, sink, isInInitialList);
    } catch (error) {
      failures.set(index, error);
    }
    sink.onApplied?.();
  }
  if (failures.size === 0) return;
  const successful = [...deltas.keys()].filter((index) => !failures.has(index));
  throw new TransactionError(successful, deltas.length, [...failures.values()]);
}

/** Applies one entry. */
export function processDelta<O>(
  delta: Delta<O>,
  store: Indexer<O>,
  sink: ChangeSink<O>,
  isInInitialList: boolean,
): void {
  switch (delta.type) {
    case "added":
    case "updated": {
      const old = store.update(delta.object);
      if (old === undefined) sink.onAdd(delta.object, isInInitialList);
      else sink.onUpdate(old, delta.object);
      return;
    }
    case "deleted": {
      const { object } = delta;
      const known = store.delete(object);
      if (known === undefined) return; // of an object that nobody was told of, nobody need know the end
      sink.onDelete(isDeletedFinalStateUnknown(object) ? new DeletedFinalStateUnknown(object.key, known) : object);
      return;
    }
    case "replacedAll":
      replaceAll(delta, store, sink, isInInitialList);
      return;
    case "syncAll":
      for (const object of store.list()) sink.onSync(object);
      return;
    case "bookmark":
      store.bookmark(delta.resourceVersion);
  }
}

/** Deletions are told first, then updates and additions in the order of the list. */
function replaceAll<O>(
  { objects, resourceVersion, isNewHistory }: Extract<Delta<O>, { type: "replacedAll" }>,
  store: Indexer<O>,
  sink: ChangeSink<O>,
  isInInitialList: boolean,
): void {
  const { removed, stored, before } = store.exchange(objects, resourceVersion);
  for (const [key, old] of removed) sink.onDelete(new DeletedFinalStateUnknown(key, old));
  for (const [index, object] of stored.entries()) {
    const old = before[index];
    if (old === undefined) sink.onAdd(object, isInInitialList);
    else sink.onUpdate(old, object, isNewHistory);
  }
}

/** The object of a deletion: what it was at the end, or what was last seen of it. */
export const lastStateOf = <O>(deleted: O | DeletedFinalStateUnknown<O>): O =>
  isDeletedFinalStateUnknown(deleted) ? deleted.object : deleted;
