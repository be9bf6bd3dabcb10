import type { FieldError, Unstructured } from "@kubewright/apimachinery";
import type { ResourceVersionMatch } from "@kubewright/storage";
import type { WrittenPart } from "./before-update.ts";
import type { Selection } from "./predicate.ts";
import type { ReadonlyObject } from "./resource.ts";
import type { StrategyContext } from "./strategy.ts";

/** The context of a write: everything except the object. */
export interface WriteContext extends StrategyContext {
  /** Verb of the request, for authorizers. Default `update`. */
  readonly verb?: string | undefined;
  /** Adds a warning to the response. */
  warn(text: string): void;
}

/** A write whose object is valid. */
export interface CheckedWrite {
  readonly object: Unstructured;
  /** The object before the write; absent if the write creates the object. */
  readonly old?: ReadonlyObject | undefined;
  readonly part: WrittenPart;
  readonly context: WriteContext;
}

/**
 * Checks additional permissions that a write requires, and returns an error for each missing one. In upstream,
 * strategies with such checks call the authorizer themselves.
 */
export type AccessCheck = (write: CheckedWrite) => Promise<readonly FieldError[]>;

/** A list request to a resource's store. */
export interface StoreListRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A watch request to a resource's store. */
export interface StoreWatchRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly resourceVersion?: string | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowBookmarks: boolean;
  readonly signal: AbortSignal;
}

/** An update request to a resource's store. */
export interface UpdateRequest {
  readonly name: string;
  readonly part: WrittenPart;
  /** True to create the object if it does not exist, for all kinds, as server-side apply does. */
  readonly forceCreate?: boolean | undefined;
  readonly preconditions?: { readonly uid?: string | undefined } | undefined;
  /** Returns the new object, which must be a private copy. Called again after a conflict with another write. */
  readonly transform: (current: ReadonlyObject | undefined) => Promise<Unstructured> | Unstructured;
  /** Runs validating admission for the object that will be stored, if the request creates it. */
  readonly validateCreate?: ((object: Unstructured) => Promise<void>) | undefined;
  readonly validateUpdate?: ((object: Unstructured, old: ReadonlyObject) => Promise<void>) | undefined;
}
