import type {
  DeepReadonly,
  FieldSelector,
  KeyLike,
  Kind,
  KubeObject,
  ListMeta,
  ParsedLabelSelector,
  Stored,
} from "@kubewright/apimachinery";
import type { NamedObject } from "./objects.ts";

/** Options for a get: the freshness of the returned object. @see controller-runtime pkg/client GetOptions */
export interface GetOptions extends CallOptions {
  /**
   * Resource version. `"0"` allows a response from the server's cache. Any other value requires a state that is at least as new. Default:
   * the newest state.
   */
  readonly resourceVersion?: string | undefined;
}

/** Options for a list: selection, paging and freshness. @see controller-runtime pkg/client ListOptions */
export interface ListOptions extends SelectionOptions, CallOptions {
  /**
   * Maximum number of objects in one response. Default: no limit. If the list is truncated, `metadata.continue` is set: by a server to the
   * token for the next page, and by a cache, which has no pages, to the marker `continue-not-supported`.
   */
  readonly limit?: number | undefined;
  /** `metadata.continue` from the previous page. Caches do not accept it. */
  readonly continue?: string | undefined;
  /**
   * Resource version. `"0"` allows a response from the server's cache. Any other value is interpreted according to `resourceVersionMatch`.
   * Default: the newest state.
   */
  readonly resourceVersion?: string | undefined;
  /** Interpretation of `resourceVersion`. Default: the server's choice. */
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
  /**
   * Ranges of hashes of UIDs or namespaces to select, such as
   * `shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')`, combined with `||`. Servers without the feature
   * `ShardedListAndWatch` ignore it. If a server selected by it, `metadata.shardInfo` is set. Caches do not accept it.
   */
  readonly shardSelector?: string | undefined;
}

/**
 * Reads objects. A client reads from the API server, a cache from memory. Returned objects are read-only because they
 * may be shared. They always have a `uid` and a `creationTimestamp`.
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
   * Returns all objects that the options select. A server sorts them by namespace and name; a cache returns them in no
   * particular order (see `byKey`).
   */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<KubeList<Stored<DeepReadonly<T>>>>;
}

/** A label selector: `{ app: "shop" }`, `"app=shop,tier in (web)"`, or a parsed selector. */
export type LabelSelectorInput = string | Readonly<Record<string, string>> | ParsedLabelSelector;

/** A field selector: `{ "spec.nodeName": "node-1" }`, `"status.phase!=Running"`, or a parsed selector. */
export type FieldSelectorInput = string | Readonly<Record<string, string>> | FieldSelector;

/** Selects objects of a kind. Default: all objects. */
export interface SelectionOptions {
  /** Namespace to select from. Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelectorInput | undefined;
  /** Field selector. For most kinds, a server supports only name and namespace; for some kinds, also a few other fields. */
  readonly fields?: FieldSelectorInput | undefined;
}

/** Options that every call accepts. */
export interface CallOptions {
  /** Signal that cancels the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Result of a list: an array of the objects, with the list's metadata as a property. */
export interface KubeList<T> extends ReadonlyArray<T> {
  /**
   * Metadata of the list. `resourceVersion` is the list's version. `continue` is the token for the next page, or a cache's marker (see
   * `ListOptions`).
   */
  readonly metadata: Readonly<ListMeta>;
}

/** Adds list metadata to an array. The property is not enumerable, so the list is printed and compared like an array. */
export function kubeList<T>(items: T[], metadata: ListMeta): KubeList<T> {
  return Object.defineProperty(items, "metadata", { value: metadata }) as T[] & { readonly metadata: ListMeta };
}

/** Options for {@link CachedReader.caughtUp}. */
export interface CaughtUpOptions extends CallOptions {
  /** Maximum wait in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** A reader that lags behind the server's state, and can wait until it shows a particular write. */
export interface CachedReader extends Reader {
  /**
   * Waits until reads show a write, or a newer one. `written` is a `resourceVersion` or, for the shortest wait, the
   * object that a write returned. A kind that has not been read counts as caught up.
   *
   * @returns true once caught up; false on timeout or if the signal aborts first
   */
  caughtUp(kind: Kind, written: NamedObject | string, options?: CaughtUpOptions): Promise<boolean>;
}
