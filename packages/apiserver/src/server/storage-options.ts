import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { EtcdOptions } from "../storage/etcd3/etcd-storage.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import type { ClosableStorage } from "../storage/storage.ts";

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
    }
  /** In etcd, as kube-apiserver keeps them; several servers may share it. */
  | ({ readonly type: "etcd3" } & EtcdOptions);

interface StorageParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly historyLength: number | undefined;
}

/** @throws {Error} where the folder is in use or holds damaged files, or etcd cannot be reached */
export async function openStorage(options: StorageOptions, parts: StorageParts): Promise<ClosableStorage> {
  const { clock, logger, historyLength } = parts;
  const history = historyLength === undefined ? {} : { historyLength, watchBuffer: Math.max(historyLength, 1_000) };
  if (options.type === "memory") return new MemoryStorage({ clock, ...history });
  if (options.type === "etcd3") {
    const { EtcdStorage } = await import("../storage/etcd3/etcd-storage.ts");
    return EtcdStorage.open({ ...options, ...history, clock, logger });
  }
  const { Journal } = await import("../storage/journal/journal.ts");
  const { directory, segmentBytes } = options;
  const log = await Journal.open({
    directory,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
    onSnapshotFailure: (err) => logger.error({ err, directory }, "snapshot not written; older journal files stay"),
  });
  return new MemoryStorage({ clock, ...history, log });
}
