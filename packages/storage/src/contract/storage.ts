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
  /** Preconditions that are checked on the current object. Default: none. */
  readonly preconditions?: Preconditions | undefined;
  /** Called with the current object. If it throws an error, the object is not deleted. */
  readonly validate?: ((current: StoredObject) => Promise<void> | void) | undefined;
}

/** Selects stored objects in a collection for a list or watch. */
export interface SelectionPredicate {
  matches(object: StoredObject): boolean;
  /** True if everything matches. Lists can then count the remaining objects. */
  readonly isEmpty: boolean;
}

/** Selects everything. */
export const everything: SelectionPredicate = { isEmpty: true, matches: () => true };

/** Meaning of a list's `resourceVersion`. */
export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

/** Options of {@link Storage.getList}. @see apiserver pkg/storage ListOptions */
export interface StorageListOptions {
  /** Resource version. If empty or absent, the newest state is returned. */
  readonly resourceVersion?: string | undefined;
  /**
   * How the version is matched. If a version is given, the default is `NotOlderThan`, or `Exact` if a limit is set and the version is not
   * 0.
   */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Maximum number of objects. If 0 or absent, all are returned. */
  readonly limit?: number | undefined;
  /** Token from the previous page, with which the list continues in the same state, whatever `resourceVersion` is. */
  readonly continue?: string | undefined;
  readonly predicate: SelectionPredicate;
  /** Aborts the wait for a future version. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of objects, and the state that the page shows. */
export interface StorageListResult {
  readonly items: readonly StoredObject[];
  /** The list's metadata, with a token if there are more objects. */
  readonly metadata: ListMeta & { resourceVersion: string };
}

/** Watch event: a change as seen by the watch's reader, or a bookmark. @see apiserver pkg/storage Event */
export type StorageEvent =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: StoredObject;
      readonly resourceVersion: number;
      /** The underlying change, which is the same value for every watcher. Absent for synthetic events. */
      readonly change?: StorageChange | undefined;
    }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: number; readonly initialEventsEnd: boolean };

/** One write in the history. */
export interface StorageChange {
  readonly key: string;
  readonly resourceVersion: number;
  /** The state after the write. For a deletion, the last state with the deletion's resourceVersion. */
  readonly object: StoredObject;
  /** The state before. Absent for a creation. */
  readonly previous?: StoredObject | undefined;
  readonly deleted: boolean;
}

/** Options of {@link Storage.watch}. */
export interface StorageWatchOptions {
  /** Resource version at which to start. If empty or "0", the watch starts with synthetic ADDED events for the current state. */
  readonly resourceVersion?: string | undefined;
  /**
   * If `true`, the watch starts with synthetic events and a bookmark that ends them; if `false`, without. If absent, this depends on
   * `resourceVersion`.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** True if the reader supports bookmarks. Default false. */
  readonly allowBookmarks?: boolean | undefined;
  readonly predicate: SelectionPredicate;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** A running watch. */
export interface StorageWatch extends AsyncIterable<StorageEvent> {
  /** Yields the same events in batches. Each batch contains the events available when the reader requests it. */
  batches(): AsyncIterable<readonly StorageEvent[]>;
  /** Sends a bookmark after all delivered events, if bookmarks were requested. */
  requestProgress(): void;
  /** True if no more events will be added, because the watch was ended or its reader is too slow. Buffered events can still be read. */
  readonly isOver: boolean;
}

/** Result of `tryUpdate`: the object to store, or a removal. */
export type Update =
  | { readonly object: Unstructured; readonly ttlSeconds?: number | undefined }
  | { readonly remove: true; readonly answer?: Unstructured | undefined };

/** Reads and writes resource versions. @see apiserver storage.Versioner */
export interface Versioner {
  /** Returns a copy of the object with the resource version. */
  updateObject(object: StoredObject, resourceVersion: number): Unstructured;
  updateList(resourceVersion: number, continueToken?: string, remaining?: number): StorageListResult["metadata"];
  /** Removes `resourceVersion` and `selfLink` from the argument in place. */
  prepareObjectForStorage(object: Unstructured): Unstructured;
  /** Returns 0 if absent. @throws {Error} if it is not a number */
  objectResourceVersion(object: StoredObject): number;
  /** Returns 0 for "" and "0". @throws {Error} if the text is not a number */
  parseResourceVersion(text: string | undefined): number;
}

/**
 * Stores objects. A single counter numbers all writes of all kinds, and a state change completes before the next `await`. Keys have the
 * form `/<group or "core">/<resource>/<namespace>/<name>` (without the namespace for cluster-scoped objects), and prefixes end in `/`.
 *
 * @see apiserver pkg/storage Interface
 */
export interface Storage {
  readonly versioner: Versioner;
  /**
   * Maximum size of an object's JSON, in bytes. Larger objects are rejected as `TooLarge`. Absent if the limit is not known before the
   * write.
   */
  readonly maxObjectBytes?: number | undefined;
  /** @throws {StorageError} `KeyExists` */
  create(
    key: string,
    object: Unstructured,
    options?: { readonly ttlSeconds?: number | undefined },
  ): Promise<StoredObject>;
  /** Removes an object and returns its last state. @throws {StorageError} `KeyNotFound`, `InvalidObject` if a precondition fails */
  delete(key: string, options?: StorageDeleteOptions): Promise<StoredObject>;
  /** @throws {StorageError} `KeyNotFound` unless `ignoreNotFound`, `TooLargeResourceVersion` */
  get(
    key: string,
    options?: { readonly resourceVersion?: string | undefined; readonly ignoreNotFound?: boolean | undefined },
  ): Promise<StoredObject | undefined>;
  /** @throws {StorageError} `Expired`, `TooLargeResourceVersion`, `InvalidContinueToken` */
  getList(prefix: string, options: StorageListOptions): Promise<StorageListResult>;
  /**
   * Reads an object, calls `tryUpdate`, and stores the result. After a conflicting write, calls `tryUpdate` again with the new state. If
   * the result equals the stored object, nothing is written.
   */
  guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean | undefined; readonly preconditions?: Preconditions | undefined },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject>;
  /**
   * Sends every matching change once and in order, beginning at the start position. Ends when the signal aborts or the reader is too
   * slow.
   *
   * The first call to `next` throws errors about the position: {@link StorageError} `Expired`, `TooLargeResourceVersion`.
   */
  watch(prefix: string, options: StorageWatchOptions): StorageWatch;
  /** Returns the number of objects under a prefix. */
  count(prefix: string): Promise<number>;
  /** Drops the history up to and including this version. After that, older positions result in `Expired`. */
  compact(resourceVersion: string): Promise<void>;
  /** Returns the counter's value. */
  currentResourceVersion(): number;
}

/** A storage as returned to the code that opened it, which must close it. */
export interface ClosableStorage extends Storage, AsyncDisposable {
  /** Restores the state at a version. Absent if this is not supported. */
  rewind?(resourceVersion: string): Promise<void>;
  /** Ends all watches. The storage must not be used afterwards. */
  close(): Promise<void>;
}
