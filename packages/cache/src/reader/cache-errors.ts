import { type GroupVersionKind, gvkKey } from "@kubewright/apimachinery";

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
