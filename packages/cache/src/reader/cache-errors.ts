import { type GroupVersionKind, gvkKey } from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";

/**
 * The cache was read before it was started.
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
 * A read was given up that waited for a kind to sync: the cache is about to end. It has the name of what an aborted signal throws, so
 * that a controller which is ending takes it for that. `cause` is what last interrupted listing or watching the kind.
 */
export class CacheStoppingError extends Error {
  override readonly name = "AbortError";

  /** @param what the name of the kind in the cache */
  constructor(what: string, lastError: unknown) {
    super(`the cache is stopping, and ${what} has not synced${lastErrorText(lastError)}`, { cause: lastError });
  }
}

/** What is added to messages of somebody who waited in vain. */
export function lastErrorText(lastError: unknown): string {
  if (lastError === undefined) return "";
  return `; last error: ${errorText(lastError)}`;
}

/**
 * A kind was read that has no informer, in a cache with `readerFailOnMissingInformer`. It says nothing about the object.
 *
 * @see controller-runtime pkg/cache ErrResourceNotCached
 */
export class ResourceNotCachedError extends Error {
  override readonly name = "ResourceNotCachedError";
  readonly kind: GroupVersionKind;

  constructor(kind: GroupVersionKind) {
    super(
      `${gvkKey(kind)} is not cached: readerFailOnMissingInformer is set; name the kind in \`kinds\`, call getInformer before, ` +
        "or read from the server",
    );
    const { group, version, kind: name } = kind;
    this.kind = { group, version, kind: name };
  }
}

/** Whether an error is a {@link ResourceNotCachedError}. */
export const isResourceNotCached = (error: unknown): error is ResourceNotCachedError =>
  error instanceof ResourceNotCachedError;
