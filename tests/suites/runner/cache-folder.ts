import { homedir } from "node:os";
import { join } from "node:path";

/** Where built suites are kept: outside of the repository. */
export const cacheFolder = (name: string): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright", "suites", name);
