import type { FieldSelectorInput, LabelSelectorInput } from "../calls/selectors.ts";

/** Every call takes a signal; when it aborts, the call rejects with the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  /** `"0"` allows an answer from the server's cache; a version asks for one at least as new. Default: the newest. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects are meant. */
export interface SelectionOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelectorInput | undefined;
  readonly fields?: FieldSelectorInput | undefined;
}

export interface ListOptions extends SelectionOptions, CallOptions {
  /** At most so many objects in one answer; `metadata.continue` of the list then leads to the next. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
}

export interface WatchOptions extends SelectionOptions, CallOptions {
  /** Where in history to begin; absent: the present state as ADDED events, then changes. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Ask for BOOKMARK events. Default true. */
  readonly bookmarks?: boolean | undefined;
  /** Streaming list: ADDED for all that is there, then a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. Default: the server's choice (30 to 60 minutes). Rounded up to whole seconds. */
  readonly timeoutMs?: number | undefined;
}

/** How the server treats fields that it does not know or that occur twice. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** What all writes take. */
export interface WriteOptions extends CallOptions {
  /** Validate and answer as usual, but keep nothing. */
  readonly dryRun?: boolean | undefined;
  /** Who owns the fields that this call sets (`fieldManager` on the wire). Default: the client's. */
  readonly fieldOwner?: string | undefined;
  /** Default: the client's, else the server's (`Warn`). */
  readonly fieldValidation?: FieldValidation | undefined;
}

export type PatchType = "merge" | "json" | "strategic" | "apply";

export interface PatchOptions extends WriteOptions {
  /** Default `"merge"`. */
  readonly type?: PatchType | undefined;
  /** Take fields over from other owners. Only for `type: "apply"`. */
  readonly force?: boolean | undefined;
  /** Refuse with a conflict if the object changed since it was read: sends the `resourceVersion` of the object passed as target. */
  readonly optimisticLock?: boolean | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other owners instead of failing with a conflict. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /** How long the object may take to end; 0 deletes at once. */
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** Delete only this incarnation or version; else a conflict. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/** Selection as of a list, and how to delete. */
export interface DeleteCollectionOptions extends Omit<ListOptions, "continue">, DeleteOptions {}
