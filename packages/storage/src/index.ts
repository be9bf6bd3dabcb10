export type {
  ChangeLog,
  LoggedChange,
  LoggedObject as LoggedStoredObject,
  RestoredState,
} from "./contract/change-log.ts";
export { dryRunStorage } from "./contract/dry-run-storage.ts";
export { freezeTree } from "./contract/freeze-tree.ts";
export { objectVersioner } from "./contract/object-versioner.ts";
export { checkPreconditions } from "./contract/preconditions.ts";
export { sameButVersion } from "./contract/same-but-version.ts";
export {
  type ClosableStorage,
  everything,
  type Preconditions,
  type ResourceVersionMatch,
  type SelectionPredicate,
  type Storage,
  type StorageChange,
  type StorageDeleteOptions,
  type StorageEvent,
  type StorageListOptions,
  type StorageListResult,
  type StorageWatch,
  type StorageWatchOptions,
  type StoredObject,
  type Update,
  type Versioner,
} from "./contract/storage.ts";
export { isStorageError, StorageError, type StorageErrorReason } from "./contract/storage-error.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./memory/memory-storage.ts";
export { openStorage, type StorageOptions } from "./storage-options.ts";
export { eventOf } from "./watch-cache/change-event.ts";
export { encodeContinue } from "./watch-cache/continue-token.ts";
export type { StorageBackend, StorageParts } from "./watch-cache/storage-backend.ts";
export { watchersNotified } from "./watch-cache/wake-batch.ts";
export { type CachedState, WatchCache, type WatchCacheOptions } from "./watch-cache/watch-cache.ts";
