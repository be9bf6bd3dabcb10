import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "@kubewright/clock";
import { observedText, type Permission, parseObserved } from "@kubewright/codegen";

/** A lock that is older was left by a test that was killed. */
const staleMs = 10_000;

/** `config/rbac/observed.json` of the project that a folder is in, if it is in one. */
export function observedFileOf(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "kubewright.json"))) return join(folder, "config/rbac/observed.json");
    if (dirname(folder) === folder) return undefined;
  }
}

/** Nothing where nothing was recorded yet. @throws {Error} if the file cannot be read */
export function readObserved(path: string): Permission[] | undefined {
  return existsSync(path) ? parseObserved(readFileSync(path, "utf8"), path) : undefined;
}

/** Changes the file while no other test process does; it is written only if it is not the same. */
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
