import type { ListMeta, ObjectKey } from "@kubewright/apimachinery";
import type { Bookmark } from "@kubewright/client";

/** A list request. The {@link ListerWatcher} determines which objects to list. */
export interface ListRequest {
  /** Resource version of the state. If absent or empty, the newest version. `"0"` means any version that the server has available. */
  readonly resourceVersion?: string | undefined;
  /** Interpretation of the resource version. Default: the server's choice. */
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
  /** Maximum number of objects. All pages but the last have a `continue` token. Default: no limit. */
  readonly limit?: number | undefined;
  /** The `continue` token of the preceding page. */
  readonly continue?: string | undefined;
  /** Ranges of hashes to select; see `ListOptions` of `@kubewright/client`. */
  readonly shardSelector?: string | undefined;
  /** Signal that cancels the request. The request then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A watch request. */
export interface WatchRequest {
  /** The version after which changes are reported. */
  readonly resourceVersion?: string | undefined;
  /** Required with `sendInitialEvents`. */
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** True if the server may send bookmarks. */
  readonly bookmarks?: boolean | undefined;
  /** True to begin the watch with the existing objects, followed by an annotated bookmark (a streaming list). */
  readonly sendInitialEvents?: boolean | undefined;
  /** Time after which the server ends the watch, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Ranges of hashes to select; see `ListOptions` of `@kubewright/client`. */
  readonly shardSelector?: string | undefined;
  /** Signal that ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** The response to a list request. */
export interface ListPage<O> {
  /** Used only to reject tables, whose rows are not objects. */
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: Readonly<ListMeta>;
  readonly items: readonly O[];
}

/** A change to one object. */
export interface ChangeEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** State after the change. For a deletion, the last state. */
  readonly object: O;
}

/** A decoded watch event. */
export type SourceEvent<O> = ChangeEvent<O> | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/**
 * A source of objects for a `Reflector`, such as an API server or a fake. The source also decodes the objects.
 *
 * @see client-go tools/cache ListerWatcher
 */
export interface ListerWatcher<O> {
  /** Fetches one page. @throws {StatusError} if the server rejects the request; the signal's reason */
  list(request: ListRequest): Promise<ListPage<O>>;
  /**
   * Yields events one by one, or in batches that arrived together. Ends when the server ends the watch or the signal aborts.
   *
   * @throws {StatusError} if the server rejects the request, or for an ERROR event
   */
  watch(request: WatchRequest): AsyncIterable<SourceEvent<O> | readonly SourceEvent<O>[]>;
  /** While the current request is being retried, the error with which the server deferred it. */
  readonly retryError?: unknown;
  /** True if watches support `sendInitialEvents`. Default true. */
  readonly supportsWatchList?: boolean | undefined;
  /**
   * Returns the same source with lazy decoding: members of objects are parsed when they are first read, with no visible effect.
   *
   * @param managedFields entries to retain
   * @param stored looks up the stored version of an object; members with identical bytes are reused from it
   * @param freezes true if objects will be frozen, which costs less during decoding. Default false.
   */
  deferring?(
    managedFields: "all" | { readonly of: string } | undefined,
    stored?: (key: ObjectKey) => object | undefined,
    freezes?: boolean,
  ): ListerWatcher<O>;
  /**
   * Returns the server's newest resource version. Without this method, a server that went back in time is detected only through watch
   * events.
   */
  currentVersion?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Called before each request for the whole state, which then determines the selected objects until the next call.
   *
   * @returns false if no object is selected, so that nothing has to be requested until the reflector is restarted
   */
  begin?(): boolean;
  /** Called when the state requested since {@link begin} has been queued for the store. */
  queued?(): void;
  /** Called when the store contains the state for which {@link queued} was called, in the same order. */
  applied?(): void;
}

/**
 * Returns the watch request for a streaming list that delivers the same objects as a list request, or `undefined` if no
 * streaming list is equivalent.
 *
 * @see client-go util/watchlist PrepareWatchListOptionsFromListOptions
 */
export function watchListRequestFrom(request: ListRequest): WatchRequest | undefined {
  const { resourceVersion = "", resourceVersionMatch, limit = 0, signal } = request;
  if (request.continue || resourceVersionMatch === "Exact") return undefined;
  if (resourceVersionMatch === "NotOlderThan" && resourceVersion === "") return undefined;
  if (limit > 0 && resourceVersion !== "0") return undefined; // servers ignore the limit of a list at "0"
  return {
    resourceVersion,
    resourceVersionMatch: "NotOlderThan",
    bookmarks: true,
    sendInitialEvents: true,
    ...(signal ? { signal } : {}),
  };
}
