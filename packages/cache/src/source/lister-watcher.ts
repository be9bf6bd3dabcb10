import type { ListMeta } from "@kubewright/apimachinery";
import type { Bookmark } from "@kubewright/client";
import type { KeptManagedFields } from "../body/managed-fields.ts";
import type { StoredObject } from "../body/previous-version.ts";

/** How one list request is made. Which objects are meant is the lister's own business. */
export interface ListRequest {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a watch is opened. */
export interface WatchRequest {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  readonly bookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. */
  readonly timeoutMs?: number | undefined;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** What a list request answers. */
export interface ListPage<O> {
  /** Only looked at to refuse tables, which hold no objects. */
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: Readonly<ListMeta>;
  readonly items: readonly O[];
}

/** One change of an object. */
export interface ChangeEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: O;
}

/** What a watch brings, decoded. */
export type SourceEvent<O> = ChangeEvent<O> | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/**
 * Where a {@link Reflector} gets objects from. How they are decoded is decided here: what comes out may be parsed, or be an
 * object that parses itself when read.
 *
 * @see client-go tools/cache ListerWatcher
 */
export interface ListerWatcher<O> {
  /** One page. Rejects with what the server answered, or with the signal's reason. */
  list(request: ListRequest): Promise<ListPage<O>>;
  /** Changes, one by one or several that arrived together. Ends when the server ends the watch; an ERROR event is thrown. */
  watch(request: WatchRequest): AsyncIterable<SourceEvent<O> | readonly SourceEvent<O>[]>;
  /** Whether watches know `sendInitialEvents`. Default true. */
  readonly supportsWatchList?: boolean | undefined;
  /**
   * The same objects, with their bodies left as text until somebody reads them, which nobody can tell, and without the
   * `managedFields` that are not to be kept.
   *
   * @param stored looks up what there is of an object now, by its key: what has not changed is then not looked at again
   */
  deferring?(managedFields: KeptManagedFields, stored?: StoredObject): ListerWatcher<O>;
  /** The newest version that the server has now. Without it, going back in time is noticed only by what a watch brings. */
  currentVersion?(signal: AbortSignal): Promise<string | undefined>;
}
