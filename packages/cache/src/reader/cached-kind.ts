import type { Kind, KubeObject } from "@kubewright/apimachinery";
import type { CacheConfig, NamespaceConfigs } from "./cache-config.ts";

/**
 * What a cache keeps of one kind; also of its `metadataOnly` form, unless that has settings of its own.
 *
 * @see controller-runtime pkg/cache ByObject
 */
export interface CachedKindOptions<T extends KubeObject> extends CacheConfig<T> {
  /**
   * Keep only objects of these namespaces; reading from others throws. None (`[]`): all. Default: those of the cache. Not for kinds
   * that are in no namespace.
   */
  readonly namespaces?: NamespaceConfigs<CacheConfig<T>> | undefined;
}

/** A kind and what is kept of it. Made by {@link cachedKind}. */
export interface CachedKind {
  readonly kind: Kind;
  /** Passes both on. */
  applyTo(configure: <T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T>) => void): void;
}

/** Says what an `InformerCache` keeps of a kind, for its option `kinds`: `cachedKind(Pod, { labels: { app: "shop" } })`. */
export const cachedKind = <T extends KubeObject>(kind: Kind<T>, options: CachedKindOptions<T> = {}): CachedKind => ({
  kind,
  applyTo: (configure) => configure(kind, options),
});
