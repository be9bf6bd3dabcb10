import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
      writeFileSync(path, `${process.pid} ${startOf(process.pid) ?? ""}\n`, { flag: "wx", mode: 0o600 });
      held.add(path);
      return { release: () => release(path) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const [pid = "", start = ""] = readFileSync(path, "utf8").trim().split(" ");
      const holder = Number.parseInt(pid, 10);
      if (holder === process.pid ? held.has(path) : isRunning(holder, start))
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

/** Whether that process runs: not one that ended and that nobody has asked about yet, nor a later one of the same number. */
function isRunning(pid: number, start: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (existsSync("/proc/self/stat")) {
    const now = startOf(pid);
    return now !== undefined && (start === "" || now === start);
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When a process that runs was started, as Linux counts it; `undefined` where it does not run, or elsewhere. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isEnded = fields[0] === "Z" || fields[0] === "X";
    return isEnded ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
