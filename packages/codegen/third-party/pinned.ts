import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A file with definitions in a Go module. */
export interface PinnedFile {
  readonly module: string;
  readonly version: string;
  readonly path: string;
  readonly sha256: string;
}

/** A Go module, and the hashes of its files with definitions, keyed by path. */
interface PinnedModule {
  readonly module: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
}

const modules: readonly PinnedModule[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "definitions.json"), "utf8"),
);

export const pinned: readonly PinnedFile[] = modules.flatMap(({ files, ...module }) =>
  Object.entries(files).map(([path, sha256]) => ({ ...module, path, sha256 })),
);

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "kubewright", "third-party-definitions");

export const cachedAt = ({ sha256 }: PinnedFile): string => join(cache, `${sha256}.yaml`);

/** Returns true if the cache contains the file with the pinned hash. */
export const isPinned = (file: PinnedFile): boolean =>
  existsSync(cachedAt(file)) &&
  createHash("sha256")
    .update(readFileSync(cachedAt(file)))
    .digest("hex") === file.sha256;
