import type { ListMeta } from "@kubewright/apimachinery";
import type { Bookmark } from "@kubewright/client";
import type { KeptManagedFields } from "../body/managed-fields.ts";
import type { StoredObject } from "../body/previous-version.ts";

/** One list request. Which objects it is about is up to the {@link ListerWatcher}. */
export interface ListRequest {
  /** Absent or empty: the newest state; `"0"`: any that the server has at hand. */
  readonly resourceVersion?: string | undefined;
  /** How the version is meant. Default: the server's choice. */
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
  /** At most so many objects; the page then has a `continue` token. */
  readonly limit?: number | undefined;
  /** The token of the page before. */
  readonly continue?: string | undefined;
  /** Gives the request up; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** One watch request. */
export interface WatchRequest {
  /** The version after which changes are told. */
  readonly resourceVersion?: string | undefined;
  /** Goes with `sendInitialEvents`. */
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Whether the server may send bookmarks. */
  readonly bookmarks?: boolean | undefined;
  /** Whether the watch begins with the objects that exist, ended by an annotated bookmark: a streaming list. */
  readonly sendInitialEvents?: boolean | undefined;
  /** After how long the server ends the watch. */
  readonly timeoutMs?: number | undefined;
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a list request. */
export interface ListPage<O> {
  /** Used only to refuse tables, whose rows are no objects. */
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: Readonly<ListMeta>;
  readonly items: readonly O[];
}

/** A change of one object. */
export interface ChangeEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The state after the change; of a deletion the last one. */
  readonly object: O;
}

/** One decoded event of a watch. */
export type SourceEvent<O> = ChangeEvent<O> | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/**
 * Where a `Reflector` gets objects from: an API server, or a fake of one. It is also what decodes them.
 *
 * @see client-go tools/cache ListerWatcher
 */
export interface ListerWatcher<O> {
  /** Gets one page. @throws {StatusError} if the server refuses; the signal's reason */
  list(request: ListRequest): Promise<ListPage<O>>;
  /**
   * Yields events, one by one or those that arrived together. Ends when the server ends the watch or the signal aborts.
   *
   * @throws {StatusError} if the server refuses, or for an ERROR event
   */
  watch(request: WatchRequest): AsyncIterable<SourceEvent<O> | readonly SourceEvent<O>[]>;
  /** What the server refused the request under way with, if that is to be sent again later. */
  readonly putOff?: unknown;
  /** Whether watches support `sendInitialEvents`. Default true. */
  readonly supportsWatchList?: boolean | undefined;
  /**
   * The same source with deferred decoding: members of objects are parsed when they are first read, which cannot be noticed.
   *
   * @param managedFields which of them stay
   * @param stored looks up the stored version of an object; members that are the same bytes are then taken from it
   * @param freezes whether objects are about to be frozen, which costs less while they are made. Default false.
   */
  deferring?(managedFields: KeptManagedFields, stored?: StoredObject, freezes?: boolean): ListerWatcher<O>;
  /**
   * The newest resource version that the server has. Without this method, a server that went back in time is noticed only by the
   * events of a watch.
   */
  currentVersion?(signal: AbortSignal): Promise<string | undefined>;
}
