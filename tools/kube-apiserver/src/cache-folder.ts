import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the folder for the programs: outside of the repository and shared by all checkouts. */
export const cacheFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright", "envtest");
