import type { DeepReadonly, ListMeta, Unstructured } from "@kubewright/apimachinery";

/** An object in the storage. It is frozen, and has a `resourceVersion`. */
export type StoredObject = DeepReadonly<Unstructured>;

/** Conditions that the stored object must meet before it is written. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Conditions under which an object is deleted. */
export interface StorageDeleteOptions {
  /** Preconditions that the current object must meet. Default: none. */
  readonly preconditions?: Preconditions | undefined;
  /** Called with the current object. If it throws an error, the object is not deleted. */
  readonly validate?: ((current: StoredObject) => Promise<void> | void) | undefined;
}

/** Selects the objects in a collection that a list or watch returns. */
export interface SelectionPredicate {
  matches(object: StoredObject): boolean;
  /** True if all objects match. Only then can a list count the remaining objects. */
  readonly isEmpty: boolean;
}

/** Selects all objects. */
export const everything: SelectionPredicate = { isEmpty: true, matches: () => true };

/** The meaning of a list's `resourceVersion`. */
export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

/** Options for {@link Storage.getList}. @see apiserver pkg/storage ListOptions */
export interface StorageListOptions {
  /** Resource version. If empty or absent, the newest state is returned. */
  readonly resourceVersion?: string | undefined;
  /**
   * Interpretation of `resourceVersion`. If a version is given, the default is `Exact` if a limit is set and the version is not 0, and
   * otherwise `NotOlderThan`.
   */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Maximum number of objects. If 0 or absent, all are returned. */
  readonly limit?: number | undefined;
  /** Token from the previous page. The list continues with the state of that page, regardless of `resourceVersion`. */
  readonly continue?: string | undefined;
  readonly predicate: SelectionPredicate;
  /** Signal that aborts the wait for a future resource version. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list, and metadata with the resource version of the listed state. */
export interface StorageListResult {
  readonly items: readonly StoredObject[];
  /** Metadata of the list. If there are more objects, it contains a token for the next page. */
  readonly metadata: ListMeta & { resourceVersion: string };
}

/** A watch event: a bookmark, or a change as seen by this watch. @see apiserver pkg/storage Event */
export type StorageEvent =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: StoredObject;
      readonly resourceVersion: number;
      /** The underlying change, which is the same value for every watcher. Absent for synthetic events. */
      readonly change?: StorageChange | undefined;
    }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: number; readonly initialEventsEnd: boolean };

/** A write in a storage's history. */
export interface StorageChange {
  readonly key: string;
  readonly resourceVersion: number;
  /** State of the object after the write. For a deletion: its last state, with the resource version of the deletion. */
  readonly object: StoredObject;
  /** State of the object before the write. Absent for a creation. */
  readonly previous?: StoredObject | undefined;
  readonly deleted: boolean;
}

/** Options for {@link Storage.watch}. */
export interface StorageWatchOptions {
  /**
   * Resource version at which the watch starts. If it is empty or `"0"`, the watch starts with synthetic ADDED events for the current
   * state.
   */
  readonly resourceVersion?: string | undefined;
  /**
   * If `true`, the watch starts with synthetic events for the current state, followed by a bookmark. If `false`, it starts
   * without these events. If absent, `resourceVersion` decides.
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** True if the reader of the watch supports bookmarks. Default false. */
  readonly allowBookmarks?: boolean | undefined;
  readonly predicate: SelectionPredicate;
  /** Signal that ends the watch. */
  readonly signal: AbortSignal;
}

/** A running watch. */
export interface StorageWatch extends AsyncIterable<StorageEvent> {
  /** Yields the same events in batches. Each batch contains the events that are available when the reader requests it. */
  batches(): AsyncIterable<readonly StorageEvent[]>;
  /** Sends a bookmark after all delivered events, if bookmarks were requested. */
  requestProgress(): void;
  /** True if no more events will be added, because the watch was ended or its reader is too slow. Buffered events can still be read. */
  readonly isOver: boolean;
}

/** The outcome of a `tryUpdate` callback: an object to store, or a removal. */
export type Update =
  | { readonly object: Unstructured; readonly ttlSeconds?: number | undefined }
  | { readonly remove: true; readonly answer?: Unstructured | undefined };

/** Reads and writes objects' resource versions. @see apiserver storage.Versioner */
export interface Versioner {
  /** Returns a copy of the object with the given resource version. */
  updateObject(object: StoredObject, resourceVersion: number): Unstructured;
  updateList(resourceVersion: number, continueToken?: string, remaining?: number): StorageListResult["metadata"];
  /** Removes `resourceVersion` and `selfLink` from the passed object itself. */
  prepareObjectForStorage(object: Unstructured): Unstructured;
  /** Returns an object's resource version, or 0 if it has none. @throws {Error} if the version is not a number */
  objectResourceVersion(object: StoredObject): number;
  /** Parses a resource version. Returns 0 for `""` and `"0"`. @throws {Error} if the text is not a number */
  parseResourceVersion(text: string | undefined): number;
}

/**
 * Stores objects of all kinds. All writes are numbered by a single counter, and every state change is complete before
 * the next `await`. Keys have the form `/<group or "core">/<resource>/<namespace>/<name>` (without the namespace for
 * cluster-scoped objects), and prefixes end in `/`.
 *
 * @see apiserver pkg/storage Interface
 */
export interface Storage {
  readonly versioner: Versioner;
  /**
   * Maximum size of an object's JSON, in bytes. Larger objects are rejected with the reason `TooLarge`. Absent if the limit is not known
   * before a write.
   */
  readonly maxObjectBytes?: number | undefined;
  /** Adds an object. @throws {StorageError} `KeyExists` if the key is in use */
  create(
    key: string,
    object: Unstructured,
    options?: { readonly ttlSeconds?: number | undefined },
  ): Promise<StoredObject>;
  /**
   * Removes an object and returns its last state. @throws {StorageError} `KeyNotFound` if it does not exist, `InvalidObject` if a
   * precondition is not met
   */
  delete(key: string, options?: StorageDeleteOptions): Promise<StoredObject>;
  /**
   * Returns an object. @throws {StorageError} `KeyNotFound` if it does not exist (unless `ignoreNotFound` is set),
   *   `TooLargeResourceVersion` if the version does not exist yet
   */
  get(
    key: string,
    options?: { readonly resourceVersion?: string | undefined; readonly ignoreNotFound?: boolean | undefined },
  ): Promise<StoredObject | undefined>;
  /**
   * Returns one page of the objects under a prefix. @throws {StorageError} `Expired`, `TooLargeResourceVersion` or `InvalidContinueToken`
   */
  getList(prefix: string, options: StorageListOptions): Promise<StorageListResult>;
  /**
   * Reads an object, passes it to `tryUpdate`, and stores the result. If another write changes the object in the meantime, `tryUpdate` is
   * called again with the new state. If the result equals the stored object, nothing is written.
   */
  guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean | undefined; readonly preconditions?: Preconditions | undefined },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject>;
  /**
   * Watches the objects under a prefix: yields each matching change once and in order, from the given version on. The watch ends when the
   * signal aborts, or if its reader is too slow.
   *
   * If the watch cannot start at the given version, the first call to `next` throws a {@link StorageError} with the reason `Expired` or
   * `TooLargeResourceVersion`.
   */
  watch(prefix: string, options: StorageWatchOptions): StorageWatch;
  /** Returns the number of objects under a prefix. */
  count(prefix: string): Promise<number>;
  /** Drops the history up to and including the given version. Lists and watches at older versions then fail with `Expired`. */
  compact(resourceVersion: string): Promise<void>;
  /** Returns the resource version of the newest write. */
  currentResourceVersion(): number;
}

/** A storage that must be closed by the code that opened it. */
export interface ClosableStorage extends Storage, AsyncDisposable {
  /** Restores the state at a resource version. Absent if the storage does not support this. */
  rewind?(resourceVersion: string): Promise<void>;
  /** Ends all watches. The storage must not be used afterwards. */
  close(): Promise<void>;
}
