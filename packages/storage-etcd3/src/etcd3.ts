import type { StorageBackend } from "@kubewright/storage";
import { type EtcdOptions, EtcdStorage } from "./etcd-storage.ts";

/** Stores objects in etcd, as kube-apiserver does. Several servers can share one etcd. */
export const etcd3 =
  (options: EtcdOptions): StorageBackend =>
  (parts) =>
    EtcdStorage.open({ ...options, ...parts });
