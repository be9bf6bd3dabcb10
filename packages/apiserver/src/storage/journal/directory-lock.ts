import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Keeps two processes out of one folder. A lock whose process is gone is taken over.
 *
 * @throws {Error} where another process that runs holds it
 */
export function lockDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, "lock");
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
      held.add(path);
      return { release: () => release(path) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const holder = Number.parseInt(readFileSync(path, "utf8"), 10);
      if (holder === process.pid ? held.has(path) : isRunning(holder))
        throw new Error(
          `data directory ${directory} is in use by process ${holder}; stop it, or name another directory`,
        );
      rmSync(path, { force: true });
    }
  }
}

const held = new Set<string>();

function release(path: string): void {
  held.delete(path);
  rmSync(path, { force: true });
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
