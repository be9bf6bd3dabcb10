import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ClosableStorage } from "../contract/storage.ts";
import type { WatchCacheOptions } from "./watch-cache.ts";

/** What a server gives its storage. */
export interface StorageParts extends WatchCacheOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens a place where objects are kept; a server calls it once, and closes what it got.
 *
 * @throws {Error} where it cannot be used
 */
export type StorageBackend = (parts: StorageParts) => Promise<ClosableStorage>;
