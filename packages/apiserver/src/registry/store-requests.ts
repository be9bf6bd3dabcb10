import type { FieldError, Unstructured } from "@kubewright/apimachinery";
import type { ResourceVersionMatch } from "@kubewright/storage";
import type { WrittenPart } from "./before-update.ts";
import type { Selection } from "./predicate.ts";
import type { ReadonlyObject } from "./resource.ts";
import type { StrategyContext } from "./strategy.ts";

/** What a write is told besides the object. */
export interface WriteContext extends StrategyContext {
  /** Of the request, as authorizers know it. Default `update`. */
  readonly verb?: string;
  /** Adds a warning to the answer. */
  warn(text: string): void;
}

/** A write of an object that is valid in itself. */
export interface CheckedWrite {
  readonly object: Unstructured;
  /** Absent where it is created. */
  readonly old?: ReadonlyObject;
  readonly part: WrittenPart;
  readonly context: WriteContext;
}

/** What is wrong with a write because of what its user may not do elsewhere. Upstream, such strategies have an authorizer. */
export type AccessCheck = (write: CheckedWrite) => Promise<readonly FieldError[]>;

export interface ListRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: ResourceVersionMatch;
  readonly limit?: number;
  readonly continue?: string;
  readonly signal?: AbortSignal;
}

export interface WatchRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly resourceVersion?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowBookmarks: boolean;
  readonly signal: AbortSignal;
}

export interface UpdateRequest {
  readonly name: string;
  readonly part: WrittenPart;
  /** A missing object is created, whatever the kind says (server-side apply). */
  readonly forceCreate?: boolean;
  readonly preconditions?: { readonly uid?: string };
  /** What the object is to become. Asked again when somebody wrote meanwhile; the result is a private object. */
  readonly transform: (current: ReadonlyObject | undefined) => Promise<Unstructured> | Unstructured;
  /** Validating admission, on the object as it will be stored. */
  readonly validateCreate?: (object: Unstructured) => Promise<void>;
  readonly validateUpdate?: (object: Unstructured, old: ReadonlyObject) => Promise<void>;
}
