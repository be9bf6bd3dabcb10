export type { EtcdOptions } from "./etcd-storage.ts";
export { etcd3 } from "./etcd3.ts";
