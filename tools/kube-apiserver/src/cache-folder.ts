import { homedir } from "node:os";
import { join } from "node:path";

/** Where the programs are kept: outside of the repository, shared by all checkouts. */
export const cacheFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright", "envtest");
