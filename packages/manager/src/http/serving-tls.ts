import { join } from "node:path";

/** Files of a certificate and its key. A folder contains them as `tls.crt` and `tls.key`. */
type PairFiles = { readonly certFile: string; readonly keyFile: string } | { readonly dir: string };

/** PEM texts, or files that are reread when they change. */
export type ServingTls = { readonly cert: string; readonly key: string } | PairFiles;

export const filesOf = (tls: PairFiles): { readonly certFile: string; readonly keyFile: string } =>
  "dir" in tls ? { certFile: join(tls.dir, "tls.crt"), keyFile: join(tls.dir, "tls.key") } : tls;
