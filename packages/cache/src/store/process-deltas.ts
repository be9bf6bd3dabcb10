import { DeletedFinalStateUnknown, isDeletedFinalStateUnknown } from "@kubewright/apimachinery";
import type { Delta } from "./delta-fifo.ts";
import type { Indexer } from "./indexer.ts";
import { TransactionError } from "./transaction.ts";

/** Receives each change of a store, after it was made. */
export interface ChangeSink<O> {
  onAdd(object: O, isInInitialList: boolean): void;
  /** @param isNewHistory true if the two may differ although their versions are the same */
  onUpdate(old: O, object: O, isNewHistory?: boolean): void;
  onDelete(object: O | DeletedFinalStateUnknown<O>): void;
  /** Called by a resync: the object did not change. */
  onSync(object: O): void;
  /** Called at the end of one entry, after all of its changes were reported. */
  onApplied?(): void;
}

/**
 * Applies queue entries to a store and reports each change to `sink`. A failed entry does not prevent the others.
 *
 * @throws {TransactionError} after the last entry, if any failed
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

/** Applies one entry. @throws any error of the store or the sink */
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
      if (known === undefined) return; // the object was never reported
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

/** Reports deletions first, then updates and additions in the order of the list. */
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

/** Returns the object of a deletion: its final state, or its last known state. */
export const lastStateOf = <O>(deleted: O | DeletedFinalStateUnknown<O>): O =>
  isDeletedFinalStateUnknown(deleted) ? deleted.object : deleted;
