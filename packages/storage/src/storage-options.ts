import type { ClosableStorage } from "./contract/storage.ts";
import { MemoryStorage } from "./memory/memory-storage.ts";
import type { StorageBackend, StorageParts } from "./watch-cache/storage-backend.ts";

/** Where objects are kept. */
export type StorageOptions =
  /** In memory: gone when the process ends. */
  | { readonly type: "memory" }
  /** In memory, and every write in files too: there again after the process ended, however it ended. */
  | {
      readonly type: "journal";
      /** A folder for this server alone; made where it is not there. */
      readonly directory: string;
      /** From this size on a snapshot takes the place of older files. Default 16 MiB. */
      readonly segmentBytes?: number;
    };

/**
 * Opens a storage; closing it is the caller's.
 *
 * @throws {Error} where the folder is in use or holds damaged files, or a backend cannot be used
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
      parts.logger.error({ err, directory }, "snapshot not written; older journal files stay"),
  });
  return new MemoryStorage({ ...parts, log });
}
