export type { IncomingOptions, Transform } from "./body/incoming.ts";
export { stripManagedFields } from "./body/managed-fields.ts";
export { filteringHandler, type HandlerRegistration, type ResourceEventHandler } from "./informer/event-handler.ts";
export {
  InformerFactory,
  type InformerFactoryOptions,
  type InformerOptions,
  type Informers,
  informersOf,
  isNotSyncedError,
  NotSyncedError,
  type ResourceInformer,
} from "./informer/informer-factory.ts";
export {
  type InformerMetrics,
  type InformerMetricsProvider,
  InformerName,
  type ReportingInformer,
} from "./informer/informer-metrics.ts";
export {
  type HandlerOptions,
  SharedInformer,
  type SharedInformerOptions,
} from "./informer/shared-informer.ts";
export { type DoneChecker, waitFor } from "./informer/waiting.ts";
export {
  allNamespaces,
  byObject,
  type CacheConfig,
  type CacheDefaults,
  type CacheDescription,
  type CachedKind,
  type CachedKindOptions,
  type DefaultCacheConfig,
  type NamespaceConfigs,
} from "./reader/cache-options.ts";
export {
  type CachedKindInspection,
  CacheNotStartedError,
  CacheStoppingError,
  InformerCache,
  type InformerCacheOptions,
  isCacheNotStartedError,
  isCacheStoppingError,
  isResourceNotCachedError,
  ResourceNotCachedError,
} from "./reader/informer-cache.ts";
export type { CacheInformer } from "./reader/informer-group.ts";
export type { KeptNamespaces } from "./reader/kept-part.ts";
export type { CachedKeys, CachedKeysOptions, CachedObjectInspection } from "./reader/kind-cache.ts";
export type { CommonInformerOptions } from "./reader/kind-informers.ts";
export type { CacheExpectation, CacheExpectations } from "./reader/write-expectations.ts";
export type { ListWatchClient } from "./source/client-list-watch.ts";
export type { IndexReader } from "./store/indexer.ts";
export { IndexError, type Indexers, type IndexFunc, isIndexError } from "./store/indexes.ts";
export { Lister, type ListerOptions, type NamespaceLister } from "./store/lister.ts";
