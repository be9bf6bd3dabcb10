import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the folder for built suites, outside of the repository. */
export const cacheFolder = (name: string): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright", "suites", name);
