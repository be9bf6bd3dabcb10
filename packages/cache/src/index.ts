export type { KeptManagedFields } from "./body/managed-fields.ts";
export { type ClientListWatchOptions, clientListWatch, type ListWatchClient } from "./client-list-watch.ts";
export { InconsistentStateError } from "./consistency-check.ts";
export { type Delta, DeltaFIFO, type DeltaFIFOOptions, maxBatch } from "./delta-fifo.ts";
export { nameOfHandler, type ResourceEventHandler } from "./event-handler.ts";
export type { Expectation } from "./expectation.ts";
export { ExpiringStore, type ExpiringStoreOptions } from "./expiring-store.ts";
export { filteringHandler } from "./filtering-handler.ts";
export { deepFreeze } from "./freeze.ts";
export type { HandlerRegistration } from "./handler-registration.ts";
export type { Transform } from "./incoming-transform.ts";
export {
  byNamespace,
  IndexError,
  Indexer,
  type IndexerOptions,
  type Indexers,
  type IndexFunc,
  type IndexReader,
  namespaceIndex,
  type Replacement,
  type StoreWrite,
  TransactionError,
} from "./indexer.ts";
export { CacheNotStartedError, InformerCache } from "./informer-cache.ts";
export type { CachedKindOptions, InformerCacheOptions } from "./informer-cache-options.ts";
export {
  InformerFactory,
  type InformerFactoryOptions,
  type InformerOptions,
  NotSyncedError,
} from "./informer-factory.ts";
export type { CacheInformer } from "./informer-group.ts";
export type { InformerMetrics, InformerMetricsProvider, ReportingInformer } from "./informer-metrics.ts";
export { type InformerIdentity, InformerName, identityOf } from "./informer-names.ts";
export { type InformerWatch, informerWatch } from "./informer-watch.ts";
export { Lazy } from "./lazy.ts";
export { type FullList, ListPager, type ListPagerOptions } from "./list-pager.ts";
export { Lister, type ListerOptions, type NamespaceLister } from "./lister.ts";
export type { ChangeEvent, ListerWatcher, ListPage, ListRequest, SourceEvent, WatchRequest } from "./lister-watcher.ts";
export { metadataOnly } from "./metadata-only.ts";
export { MutationCache, type MutationCacheOptions } from "./mutation-cache.ts";
export { deletionHandlingKeyOf, KeyError, metaNamespaceKeyOf } from "./object-meta.ts";
export { PushStore } from "./push-store.ts";
export { Reflector } from "./reflector.ts";
export type { ReflectorBackoffOptions } from "./reflector-backoff.ts";
export type { ReflectorOptions } from "./reflector-options.ts";
export type { ReflectorStore } from "./reflector-store.ts";
export { RetryDeadline, type RetryDeadlineOptions } from "./retry-deadline.ts";
export { type RetryWatchOptions, retryWatch } from "./retry-watch.ts";
export { type HandlerOptions, SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";
export { type SimpleHandler, SimpleInformer, type SimpleInformerOptions } from "./simple-informer.ts";
export { stripManagedFields } from "./strip-managed-fields.ts";
export { KeyedSyncTracker, SyncTracker } from "./sync-tracker.ts";
export { type UntilCondition, UntilError, type UntilWithSyncOptions, until, untilWithSync } from "./until.ts";
export { type DoneChecker, waitFor } from "./wait-for.ts";
export { isTooLargeResourceVersion, VeryShortWatchError, WentBackInTimeError } from "./watch-errors.ts";
export { watchListRequestFrom } from "./watch-list-request.ts";
export { StalledWatchError } from "./watch-stream.ts";
export type { WriteExpectations } from "./write-expectations.ts";
