export { metadataOnly } from "@kubewright/apimachinery";
export { deepFreeze } from "./body/freeze.ts";
export { type KeptManagedFields, stripManagedFields } from "./body/managed-fields.ts";
export { filteringHandler, type HandlerRegistration, type ResourceEventHandler } from "./informer/event-handler.ts";
export {
  InformerFactory,
  type InformerFactoryOptions,
  type InformerOptions,
  type Informers,
  informersOf,
  NotSyncedError,
  type ResourceInformer,
} from "./informer/informer-factory.ts";
export {
  type InformerIdentity,
  type InformerMetrics,
  type InformerMetricsProvider,
  InformerName,
  type ReportingInformer,
} from "./informer/informer-metrics.ts";
export {
  type HandlerOptions,
  SharedInformer,
  type SharedInformerOptions,
  type Transform,
} from "./informer/shared-informer.ts";
export { type SimpleHandler, SimpleInformer, type SimpleInformerOptions } from "./informer/simple-informer.ts";
export {
  type InformerWatch,
  informerWatch,
  type UntilCondition,
  UntilError,
  type UntilWithSyncOptions,
  until,
  untilWithSync,
} from "./informer/until.ts";
export { type DoneChecker, KeyedSyncTracker, Lazy, SyncTracker, waitFor } from "./informer/waiting.ts";
export {
  allNamespaces,
  byObject,
  type CacheConfig,
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
  isResourceNotCached,
  ResourceNotCachedError,
} from "./reader/informer-cache.ts";
export type { CacheInformer } from "./reader/informer-group.ts";
export type { Expectation, WriteExpectations } from "./reader/write-expectations.ts";
export { InconsistentStateError } from "./reflector/initial-state.ts";
export { Reflector, type ReflectorOptions } from "./reflector/reflector.ts";
export { type ReflectorBackoffOptions, RetryDeadline, type RetryDeadlineOptions } from "./reflector/retrying.ts";
export { VeryShortWatchError, WentBackInTimeError } from "./reflector/watch-errors.ts";
export { StalledWatchError } from "./reflector/watch-stream.ts";
export { type ClientListWatchOptions, clientListWatch, type ListWatchClient } from "./source/client-list-watch.ts";
export { type FullList, ListPager, type ListPagerOptions } from "./source/list-pager.ts";
export {
  type ChangeEvent,
  type ListerWatcher,
  type ListPage,
  type ListRequest,
  type SourceEvent,
  type WatchRequest,
  watchListRequestFrom,
} from "./source/lister-watcher.ts";
export { type RetryWatchOptions, retryWatch } from "./source/retry-watch.ts";
export { type Delta, DeltaFIFO, type DeltaFIFOOptions, type ReflectorStore } from "./store/delta-fifo.ts";
export {
  Indexer,
  type IndexerOptions,
  type IndexReader,
  type Replacement,
  type StoreWrite,
  TransactionError,
  UndeltaStore,
} from "./store/indexer.ts";
export { byNamespace, IndexError, type Indexers, type IndexFunc, namespaceIndex } from "./store/indexes.ts";
export { Lister, type ListerOptions, type NamespaceLister } from "./store/lister.ts";
export {
  type ExpiringStoreOptions,
  MutationCache,
  type MutationCacheOptions,
  TTLStore,
} from "./store/mutation-cache.ts";
export { deletionHandlingKeyOf, KeyError, metaNamespaceKeyOf } from "./store/object-meta.ts";
