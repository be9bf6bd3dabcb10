import type { DeepReadonly, KeyLike, Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { KubeList } from "./kube-list.ts";
import type { SelectionOptions } from "./selection-options.ts";

/** Freshness of the returned object. @see controller-runtime pkg/client GetOptions */
export interface GetOptions extends CallOptions {
  /**
   * Resource version: `"0"` allows a response from the server's cache; any other requests a state at least as new. Default: the newest.
   */
  readonly resourceVersion?: string | undefined;
}

/** Selection, paging and freshness of a list. @see controller-runtime pkg/client ListOptions */
export interface ListOptions extends SelectionOptions, CallOptions {
  /**
   * Maximum number of objects in one response. If objects are left out, the list has a `metadata.continue`: from a server the token of the
   * next page, from a cache the marker `continue-not-supported`, since a cache has no pages. Default: no limit.
   */
  readonly limit?: number | undefined;
  /** `metadata.continue` of the preceding page. Not accepted by a cache. */
  readonly continue?: string | undefined;
  /**
   * Resource version: `"0"` allows a response from the server's cache; any other is interpreted as `resourceVersionMatch` defines.
   * Default: the newest.
   */
  readonly resourceVersion?: string | undefined;
  /** Interpretation of `resourceVersion`. Default: the server's choice. */
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
}

/**
 * Reads objects: a client from the API server, a cache from memory. Returned objects may be shared, and are therefore read-only; they were
 * stored, and therefore have `uid` and `creationTimestamp`.
 *
 * @see controller-runtime pkg/client Reader
 */
export interface Reader {
  /**
   * Returns one object.
   *
   * @throws {StatusError} `NotFound` if it does not exist (see `ignoreNotFound`)
   */
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>>;
  /**
   * Returns all objects that the options select. A server sorts them by namespace and name; a cache returns them in no particular order
   * (see `byKey`).
   */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
}
