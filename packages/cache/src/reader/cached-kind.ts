import type { Kind, KubeObject } from "@kubewright/apimachinery";
import type { CacheConfig, NamespaceConfigs } from "./cache-config.ts";

/**
 * Options for one kind in a cache. They also apply to its `metadataOnly` form, unless that has settings of its own.
 *
 * @see controller-runtime pkg/cache ByObject
 */
export interface CachedKindOptions<T extends KubeObject> extends CacheConfig<T> {
  /**
   * Namespaces whose objects are kept; reading from others throws. An empty list keeps all. Default: the namespaces of the cache. Not
   * allowed for cluster-scoped kinds.
   */
  readonly namespaces?: NamespaceConfigs<CacheConfig<T>> | undefined;
}

/** A kind and its cache options. Made by {@link cachedKind}. */
export interface CachedKind {
  readonly kind: Kind;
  /** Calls `configure` with the kind and its options. */
  applyTo(configure: <T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>) => void): void;
}

/** Makes an entry for the option `kinds` of an `InformerCache`: `cachedKind(Pod, { labels: { app: "shop" } })`. */
export const cachedKind = <T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T> = {}): CachedKind => ({
  kind,
  applyTo: (configure) => configure(kind, options),
});
