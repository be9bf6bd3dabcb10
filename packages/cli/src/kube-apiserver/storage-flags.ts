import { readFileSync } from "node:fs";
import type { ApiServerOptions } from "@kubewright/kube-apiserver";
import type { FlagValues } from "../flags/flag-values.ts";

/** Flags that configure the connection to etcd. */
export const etcdFlags: readonly string[] = [
  "etcd-cafile",
  "etcd-certfile",
  "etcd-keyfile",
  "etcd-prefix",
  "etcd-servers",
  "storage-backend",
];

/** Creates a storage backend that uses etcd. @throws {Error} if a file cannot be read */
export function etcdStorage(values: FlagValues): NonNullable<ApiServerOptions["storage"]> {
  const pem = (flag: string): string | undefined => {
    const path = values.text(flag);
    return path === "" ? undefined : readFileSync(path, "utf8");
  };
  const [ca, certificate, key] = [pem("etcd-cafile"), pem("etcd-certfile"), pem("etcd-keyfile")];
  if (ca === undefined && (certificate !== undefined || key !== undefined))
    throw new Error("--etcd-certfile and --etcd-keyfile require --etcd-cafile");
  const options = {
    endpoints: values.list("etcd-servers"),
    ...(values.has("etcd-prefix") ? { prefix: values.text("etcd-prefix") } : {}),
    ...(ca === undefined
      ? {}
      : { tls: { ca, ...(certificate === undefined ? {} : { certificate }), ...(key === undefined ? {} : { key }) } }),
  };
  return async (parts) => (await import("@kubewright/storage-etcd3")).etcd3(options)(parts);
}
