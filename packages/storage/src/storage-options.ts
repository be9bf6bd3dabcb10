import type { ClosableStorage } from "./contract/storage.ts";
import { MemoryStorage } from "./memory/memory-storage.ts";
import type { StorageBackend, StorageParts } from "./watch-cache/storage-backend.ts";

/** The type of the storage, and its options. */
export type StorageOptions =
  /** Storage in memory. Objects are lost when the process ends. */
  | { readonly type: "memory" }
  /** Storage in memory that also writes each change to files. Objects are restored regardless of how the process ended. */
  | {
      readonly type: "journal";
      /** Directory that only this server uses. It is created if it does not exist. */
      readonly directory: string;
      /** File size in bytes at which a snapshot replaces older files. Default 16 MiB. */
      readonly segmentBytes?: number | undefined;
    };

/**
 * Opens a storage, which the caller must close.
 *
 * @throws {Error} if the directory is in use or contains damaged files, or a backend is not available
 */
export async function openStorage(
  options: StorageOptions | StorageBackend,
  parts: StorageParts,
): Promise<ClosableStorage> {
  if (typeof options === "function") return options(parts);
  if (options.type === "memory") return new MemoryStorage(parts);
  const { Journal } = await import("./journal/journal.ts");
  const { directory, segmentBytes } = options;
  const log = await Journal.open({
    directory,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
    onSnapshotFailure: (err) =>
      parts.logger.error({ err, directory }, "cannot write a snapshot; keeping older journal files"),
  });
  return new MemoryStorage({ ...parts, log });
}
