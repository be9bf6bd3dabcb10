export { deepFreeze } from "./body/freeze.ts";
export {
  IndexerInformer,
  type IndexerInformerHandler,
  type IndexerInformerOptions,
} from "./informer/indexer-informer.ts";
export {
  type InformerWatch,
  informerWatch,
  isUntilError,
  type UntilCondition,
  UntilError,
  type UntilWithSyncOptions,
  until,
  untilWithSync,
} from "./informer/until.ts";
export { KeyedSyncTracker, Lazy, SyncTracker } from "./informer/waiting.ts";
export { Reflector, type ReflectorOptions } from "./reflector/reflector.ts";
export { type ReflectorBackoffOptions, RetryDeadline, type RetryDeadlineOptions } from "./reflector/retrying.ts";
export { isVeryShortWatchError, VeryShortWatchError } from "./reflector/watch-errors.ts";
export { type ClientListWatchOptions, clientListWatch } from "./source/client-list-watch.ts";
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
  isTransactionError,
  type Replacement,
  type StoreWrite,
  TransactionError,
  UndeltaStore,
} from "./store/indexer.ts";
export { byNamespace, namespaceIndex } from "./store/indexes.ts";
export {
  type ExpiringStoreOptions,
  MutationCache,
  type MutationCacheOptions,
  TTLStore,
} from "./store/mutation-cache.ts";
export { deletionHandlingKeyOf, isKeyError, KeyError, metaNamespaceKeyOf } from "./store/object-meta.ts";
