import type { DeepReadonly, ListMeta, Unstructured } from "@kubewright/apimachinery";

/** An object as the store holds it: frozen, with its `resourceVersion`. */
export type StoredObject = DeepReadonly<Unstructured>;

/** What must be true of the stored object for a write to go ahead. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** What has to hold for an object to be deleted. */
export interface StorageDeleteOptions {
  /** Checked on the object as it is. Default: none. */
  readonly preconditions?: Preconditions;
  /** Asked of the object as it is; what it throws keeps the object. */
  readonly validate?: (current: StoredObject) => Promise<void> | void;
}

/** Which objects of a collection a list or watch is about. Asked of stored objects. */
export interface Predicate {
  matches(object: StoredObject): boolean;
  /** Everything matches: lists may then count what is left. */
  readonly isEmpty: boolean;
}

/** Nothing is left out. */
export const everything: Predicate = { isEmpty: true, matches: () => true };

/** How `resourceVersion` of a list is meant. */
export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

/** Which objects of a collection {@link Storage.getList} lists, and as of when. @see apiserver pkg/storage ListOptions */
export interface StorageListOptions {
  /** Empty or absent: the newest state. */
  readonly resourceVersion?: string;
  /** Empty or absent with a version: `NotOlderThan`; `Exact` where a limit is set and the version is not 0. */
  readonly resourceVersionMatch?: ResourceVersionMatch;
  /** At most this many objects; 0 or absent: all. */
  readonly limit?: number;
  /** Token of the page before: goes on at its state, whatever `resourceVersion` says. */
  readonly continue?: string;
  readonly predicate: Predicate;
  /** Aborts the wait for a version that is not there yet. */
  readonly signal?: AbortSignal;
}

/** One page of objects, and the state that it shows. */
export interface StorageListResult {
  readonly items: readonly StoredObject[];
  /** Metadata of the list: with a token if there are more objects. */
  readonly metadata: ListMeta & { resourceVersion: string };
}

/** What a watch tells: a change as its reader sees it, or how far it has come. @see apiserver pkg/storage Event */
export type StorageEvent =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: StoredObject;
      readonly resourceVersion: number;
      /** The change this came from, the same value for every watcher; absent for synthetic events. */
      readonly change?: StorageChange;
    }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: number; readonly initialEventsEnd: boolean };

/** One write, as the history keeps it. */
export interface StorageChange {
  readonly key: string;
  readonly resourceVersion: number;
  /** The state after the write; for a deletion the last state, with the deletion's resourceVersion. */
  readonly object: StoredObject;
  /** The state before; absent for a creation. */
  readonly previous?: StoredObject;
  readonly deleted: boolean;
}

/** Which changes {@link Storage.watch} tells, and from when on. */
export interface StorageWatchOptions {
  /** Empty or "0": begin with synthetic ADDED events of the present state. */
  readonly resourceVersion?: string;
  /** `true`: synthetic events, then a bookmark that ends them. `false`: none. Absent: by `resourceVersion`. */
  readonly sendInitialEvents?: boolean;
  /** Whether the reader understands bookmarks. Default false. */
  readonly allowBookmarks?: boolean;
  readonly predicate: Predicate;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** A running watch. */
export interface StorageWatch extends AsyncIterable<StorageEvent> {
  /** The same, several at once: what is ready when the reader asks. */
  batches(): AsyncIterable<readonly StorageEvent[]>;
  /** Sends a bookmark behind everything that was delivered so far, if bookmarks were asked for. */
  requestProgress(): void;
  /** Nothing is added any more: it was ended, or its reader is too slow. What waits may still be read. */
  readonly isOver: boolean;
}

/** What `tryUpdate` decided: the object to store, or that the object is to be removed. */
export type Update =
  | { readonly object: Unstructured; readonly ttlSeconds?: number }
  | { readonly remove: true; readonly answer?: Unstructured };

/** Reads and stamps resource versions. @see apiserver storage.Versioner */
export interface Versioner {
  /** A copy of the object that carries the resource version. */
  updateObject(object: StoredObject, resourceVersion: number): Unstructured;
  updateList(resourceVersion: number, continueToken?: string, remaining?: number): StorageListResult["metadata"];
  /** Without resourceVersion and selfLink. The argument is changed in place. */
  prepareObjectForStorage(object: Unstructured): Unstructured;
  /** 0 when absent. @throws {Error} when it is not a number */
  objectResourceVersion(object: StoredObject): number;
  /** "" and "0" are 0. @throws {Error} when the text is not a number */
  parseResourceVersion(text: string | undefined): number;
}

/**
 * Where objects are kept. One counter numbers every write of every kind; a state change is finished before the next `await`. Keys are
 * `/<group or "core">/<resource>/<namespace>/<name>` (cluster-scoped: without namespace), prefixes end in `/`.
 *
 * @see apiserver pkg/storage Interface
 */
export interface Storage {
  readonly versioner: Versioner;
  /** Bytes of JSON beyond which an object is refused as `TooLarge`. Absent where that is not known before it is written. */
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
   * Reads, asks `tryUpdate`, stores if nobody wrote meanwhile, else asks again on fresh state. A result equal to what is stored
   * writes nothing.
   */
  guaranteedUpdate(
    key: string,
    options: { readonly ignoreNotFound?: boolean; readonly preconditions?: Preconditions },
    tryUpdate: (current: StoredObject | undefined) => Promise<Update> | Update,
  ): Promise<StoredObject>;
  /**
   * Every matching change once, in order, from the start position on. Ends when the signal aborts, or when the reader is too slow.
   * What is wrong with the position is thrown by the first `next`: {@link StorageError} `Expired`, `TooLargeResourceVersion`.
   */
  watch(prefix: string, options: StorageWatchOptions): StorageWatch;
  /** How many objects there are under a prefix. */
  count(prefix: string): Promise<number>;
  /** Forgets history up to and including this version: older positions answer `Expired`. */
  compact(resourceVersion: string): Promise<void>;
  /** The counter's value. */
  currentResourceVersion(): number;
}

/** A storage with whoever opened it. */
export interface ClosableStorage extends Storage {
  /** Goes back to the state at a version; absent where that cannot be. */
  rewind?(resourceVersion: string): Promise<void>;
  /** Ends all watches. Nothing may be asked of it afterwards. */
  close(): Promise<void>;
}
