export { deepFreeze } from "./deep-freeze.ts";
export { dryRunStorage } from "./dry-run-storage.ts";
export { MemoryStorage } from "./memory-storage.ts";
export { objectVersioner } from "./object-versioner.ts";
export { checkPreconditions } from "./preconditions.ts";
export { sameButVersion } from "./same-but-version.ts";
export {
  type ClosableStorage,
  everything,
  type Preconditions,
  type Predicate,
  type ResourceVersionMatch,
  type Storage,
  type StorageDeleteOptions,
  type StorageEvent,
  type StorageListOptions,
  type StorageListResult,
  type StorageWatch,
  type StorageWatchOptions,
  type StoredObject,
  type Update,
} from "./storage.ts";
export type { StorageBackend } from "./storage-backend.ts";
export { isStorageError, StorageError } from "./storage-error.ts";
export { openStorage, type StorageOptions } from "./storage-options.ts";
export { nextTurn, untilHeard } from "./wake-batch.ts";
export { WatchCache, type WatchCacheOptions } from "./watch-cache.ts";
