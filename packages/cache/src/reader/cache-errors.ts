import { type GroupVersionKind, gvkKey } from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";

/**
 * Thrown if the cache is read before it is started.
 *
 * @see controller-runtime pkg/cache ErrCacheNotStarted
 */
export class CacheNotStartedError extends Error {
  override readonly name = "CacheNotStartedError";

  constructor() {
    super("the cache is not started, can not read objects");
  }
}

/**
 * Thrown if a read was waiting for a kind to sync, or started to, while the cache is stopping. It has the name of the error of an aborted
 * signal, so that a controller which is stopping treats it as such. `cause` is the error that last interrupted listing or watching the
 * kind.
 */
export class CacheStoppingError extends Error {
  override readonly name = "AbortError";

  /** @param what name of the kind in the cache */
  constructor(what: string, lastError: unknown) {
    super(`the cache is stopping, and ${what} has not synced${lastErrorText(lastError)}`, { cause: lastError });
  }
}

/** Returns the last error, as a suffix for messages of waits that ended without success. */
export function lastErrorText(lastError: unknown): string {
  if (lastError === undefined) return "";
  return `; last error: ${errorText(lastError)}`;
}

/**
 * Thrown if a kind without an informer is read from a cache with `readerFailOnMissingInformer`. It does not indicate whether the object
 * exists.
 *
 * @see controller-runtime pkg/cache ErrResourceNotCached
 */
export class ResourceNotCachedError extends Error {
  override readonly name = "ResourceNotCachedError";
  readonly kind: GroupVersionKind;

  constructor(kind: GroupVersionKind) {
    super(
      `${gvkKey(kind)} is not cached: readerFailOnMissingInformer is set; name the kind in \`kinds\`, call getInformer first, ` +
        "or read from the server",
    );
    const { group, version, kind: name } = kind;
    this.kind = { group, version, kind: name };
  }
}

/** Reports whether an error is a {@link ResourceNotCachedError}. */
export const isResourceNotCached = (error: unknown): error is ResourceNotCachedError =>
  error instanceof ResourceNotCachedError;
