import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ClosableStorage } from "../contract/storage.ts";
import type { WatchCacheOptions } from "./watch-cache.ts";

/** The dependencies that a server passes to its storage. */
export interface StorageParts extends WatchCacheOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens a storage. A server calls this function once, and closes the storage when the server stops.
 *
 * @throws {Error} if the storage is not available
 */
export type StorageBackend = (parts: StorageParts) => Promise<ClosableStorage>;
