import type { DeepReadonly, ListMeta, Unstructured } from "@kubewright/apimachinery";

/** An object in the store: frozen, with its `resourceVersion`. */
export type StoredObject = DeepReadonly<Unstructured>;

/** Conditions on the stored object for a write. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Conditions for deleting an object. */
export interface StorageDeleteOptions {
  /** Checked on the current object. Default: none. */
  readonly preconditions?: Preconditions;
  /** Called with the current object; an error keeps the object. */
  readonly validate?: (current: StoredObject) => Promise<void> | void;
}

/** Selects stored objects of a collection for a list or watch. */
export interface Predicate {
  matches(object: StoredObject): boolean;
  /** True if everything matches, so that lists can count the remaining objects. */
  readonly isEmpty: boolean;
}

/** Selects everything. */
export const everything: Predicate = { isEmpty: true, matches: () => true };

/** Meaning of a list's `resourceVersion`. */
export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

/** Options of {@link Storage.getList}. @see apiserver pkg/storage ListOptions */
export interface StorageListOptions {
  /** Empty or absent: the newest state. */
  readonly resourceVersion?: string;
  /** Default with a version: `NotOlderThan`; `Exact` if a limit is set and the version is not 0. */
  readonly resourceVersionMatch?: ResourceVersionMatch;
  /** Maximum number of objects; 0 or absent: all. */
  readonly limit?: number;
  /** Token of the previous page: continues with its state, whatever `resourceVersion` is. */
  readonly continue?: string;
  readonly predicate: Predicate;
  /** Aborts the wait for a future version. */
  readonly signal?: AbortSignal;
}

/** One page of objects, and the state that it shows. */
export interface StorageListResult {
  readonly items: readonly StoredObject[];
  /** Metadata of the list, with a token if there are more objects. */
  readonly metadata: ListMeta & { resourceVersion: string };
}

/** Event of a watch: a change from its reader's view, or a bookmark. @see apiserver pkg/storage Event */
export type StorageEvent =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: StoredObject;
      readonly resourceVersion: number;
      /** The underlying change, the same value for every watcher; absent for synthetic events. */
      readonly change?: StorageChange;
    }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: number; readonly initialEventsEnd: boolean };

/** One write in the history. */
export interface StorageChange {
  readonly key: string;
  readonly resourceVersion: number;
  /** The state after the write; for a deletion the last state with the deletion's resourceVersion. */
  readonly object: StoredObject;
  /** The state before; absent for a creation. */
  readonly previous?: StoredObject;
  readonly deleted: boolean;
}

/** Options of {@link Storage.watch}. */
export interface StorageWatchOptions {
  /** Empty or "0": starts with synthetic ADDED events of the current state. */
  readonly resourceVersion?: string;
  /** `true`: synthetic events, then a bookmark that ends them. `false`: none. Absent: depends on `resourceVersion`. */
  readonly sendInitialEvents?: boolean;
  /** True if the reader supports bookmarks. Default false. */
  readonly allowBookmarks?: boolean;
  readonly predicate: Predicate;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** A running watch. */
export interface StorageWatch extends AsyncIterable<StorageEvent> {
  /** Yields the same events in batches: those available when the reader asks. */
  batches(): AsyncIterable<readonly StorageEvent[]>;
  /** Sends a bookmark after all delivered events, if bookmarks were requested. */
  requestProgress(): void;
  /** True if no more events are added: the watch was ended, or its reader is too slow. Buffered events can still be read. */
  readonly isOver: boolean;
}

/** Result of `tryUpdate`: the object to store, or a removal. */
export type Update =
  | { readonly object: Unstructured; readonly ttlSeconds?: number }
  | { readonly remove: true; readonly answer?: Unstructured };

/** Reads and writes resource versions. @see apiserver storage.Versioner */
export interface Versioner {
  /** Returns a copy of the object with the resource version. */
  updateObject(object: StoredObject, resourceVersion: number): Unstructured;
  updateList(resourceVersion: number, continueToken?: string, remaining?: number): StorageListResult["metadata"];
  /** Removes resourceVersion and selfLink from the argument in place. */
  prepareObjectForStorage(object: Unstructured): Unstructured;
  /** Returns 0 if absent. @throws {Error} if it is not a number */
  objectResourceVersion(object: StoredObject): number;
  /** Returns 0 for "" and "0". @throws {Error} if the text is not a number */
  parseResourceVersion(text: string | undefined): number;
}

/**
 * Stores objects. One counter numbers every write of every kind; a state change completes before the next `await`. Keys are `/<group or
 * "core">/<resource>/<namespace>/<name>` (cluster-scoped: without namespace), prefixes end in `/`.
 *
 * @see apiserver pkg/storage Interface
 */
export interface Storage {
  readonly versioner: Versioner;
  /** Maximum bytes of JSON; larger objects are rejected as `TooLarge`. Absent if unknown before the write. */
  readonly maxObjectBytes?: number;
  /** @throws {StorageError} `KeyExists` */
  create(key: string, object: Unstructured, options?: { readonly ttlSeconds?: number }): Promise<StoredObject>;
  /** Removes and returns the last state. @throws {StorageError} `KeyNotFound`, `InvalidObject` for a failed precondition */
  delete(key: string, options?: StorageDeleteOptions): Promise<StoredObject>;
  /** @throws {StorageError} `KeyNotFound` unless `ignoreNotFound`, `TooLargeResourceVersion` */
  get(
    key: string,
    options?: { readonly resourceVersion?: string; readonly ignoreNotFound?: boolean },
  ): Promise<StoredObject | undefined>;
  /** @throws {StorageError} `Expired`, `TooLargeResourceVersion`, `InvalidContinueToken` */
  getList(prefix: string, options: StorageListOptions): Promise<StorageListResult>;
  /**
   * Reads, calls `tryUpdate`, and stores the result; after a conflicting write it calls `tryUpdate` again with the new state. A result
   * equal to the stored object writes nothing.
   */
  guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean; readonly preconditions?: Preconditions },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject>;
  /**
   * Sends every matching change once, in order, from the start position on. Ends when the signal aborts, or when the reader is too slow.
   *
   * The first `next` throws errors of the position: {@link StorageError} `Expired`, `TooLargeResourceVersion`.
   */
  watch(prefix: string, options: StorageWatchOptions): StorageWatch;
  /** Returns the number of objects under a prefix. */
  count(prefix: string): Promise<number>;
  /** Drops history up to and including this version: older positions answer `Expired`. */
  compact(resourceVersion: string): Promise<void>;
  /** Returns the counter's value. */
  currentResourceVersion(): number;
}

/** A storage for its opener, who must close it. */
export interface ClosableStorage extends Storage {
  /** Restores the state at a version; absent if not supported. */
  rewind?(resourceVersion: string): Promise<void>;
  /** Ends all watches. The storage must not be used afterwards. */
  close(): Promise<void>;
}
