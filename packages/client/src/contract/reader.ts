import type { DeepReadonly, KeyLike, Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { KubeList } from "./kube-list.ts";
import type { SelectionOptions } from "./selection-options.ts";

/** How new an answer has to be. @see controller-runtime pkg/client GetOptions */
export interface GetOptions extends CallOptions {
  /** `"0"` allows an answer from the server's cache; a version asks for one at least as new. Default: the newest. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects to list, how many at a time, and how new the answer has to be. @see controller-runtime pkg/client ListOptions */
export interface ListOptions extends SelectionOptions, CallOptions {
  /**
   * Maximum number of objects in one answer. If objects are left out, the list has a `metadata.continue`: from a server the token of
   * the next page, from a cache the marker `continue-not-supported`, since a cache has no pages. Default: no limit.
   */
  readonly limit?: number | undefined;
  /** `metadata.continue` of the page before. A cache refuses it. */
  readonly continue?: string | undefined;
  /** `"0"` allows an answer from the server's cache; a version is meant as `resourceVersionMatch` says. Default: the newest. */
  readonly resourceVersion?: string | undefined;
  /** How `resourceVersion` is meant. Default: the server's choice. */
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
}

/**
 * Reads objects: a client from the API server, a cache from memory. What is read may be shared, hence read-only; it was stored,
 * hence its `uid` and `creationTimestamp` are there.
 *
 * @see controller-runtime pkg/client Reader
 */
export interface Reader {
  /**
   * One object.
   *
   * @throws {StatusError} `NotFound` if it does not exist (see `ignoreNotFound`)
   */
  get<T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions): Promise<Stored<DeepReadonly<T>>>;
  /** All objects that the options select. A server sorts them by namespace and name; a cache returns them in no order (see `byKey`). */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
}
