import type { StorageBackend } from "@kubewright/storage";
import { type EtcdOptions, EtcdStorage } from "./etcd-storage.ts";

/** Keeps objects in etcd, as kube-apiserver does; several servers may share it. */
export const etcd3 =
  (options: EtcdOptions): StorageBackend =>
  (parts) =>
    EtcdStorage.open({ ...options, ...parts });
