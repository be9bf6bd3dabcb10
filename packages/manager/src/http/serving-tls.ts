import { join } from "node:path";

/** Where a pair is. A folder has it as `tls.crt` and `tls.key`. */
type PairFiles = { readonly certFile: string; readonly keyFile: string } | { readonly dir: string };

/** PEM as it is, or files that are read anew when they change. */
export type ServingTls = { readonly cert: string; readonly key: string } | PairFiles;

export const filesOf = (tls: PairFiles): { readonly certFile: string; readonly keyFile: string } =>
  "dir" in tls ? { certFile: join(tls.dir, "tls.crt"), keyFile: join(tls.dir, "tls.key") } : tls;
