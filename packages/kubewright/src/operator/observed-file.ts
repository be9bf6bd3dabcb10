import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Permission } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { observedText, parseObserved } from "@kubewright/rbac";

/** Age after which a lock counts as left behind by a killed test. */
const staleMs = 10_000;

/**
 * Returns the path of `config/rbac/observed.json` in the project that contains the given folder, or undefined if the
 * folder is not in a project.
 */
export function observedFileOf(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "kubewright.json"))) return join(folder, "config/rbac/observed.json");
    if (dirname(folder) === folder) return undefined;
  }
}

/** Reads recorded permissions. Returns undefined if there are none. @throws {Error} if the file cannot be parsed */
export function readObserved(path: string): Permission[] | undefined {
  return existsSync(path) ? parseObserved(readFileSync(path, "utf8"), path) : undefined;
}

/**
 * Updates the file under a lock, so that concurrent test processes do not overwrite each other's changes. The file is
 * written only if its content changes.
 */
export async function changeObserved(
  path: string,
  change: (before: readonly Permission[]) => readonly Permission[],
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  while (!tryLock(lock)) await systemClock.sleep(20);
  try {
    const text = observedText(change(readObserved(path) ?? []));
    if (existsSync(path) && readFileSync(path, "utf8") === text) return;
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } finally {
    rmdirSync(lock);
  }
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && systemClock.now() - since > staleMs) rmdirSync(lock);
    return false;
  }
}
