import { existsSync, readFileSync } from "node:fs";

/** Reports whether a process is running. Returns false for a zombie, or if the ID now belongs to a later process. */
export function isRunning(pid: number, start: string): boolean {
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

/**
 * Returns the start time of a running process (in Linux's units), or `undefined` if the process is not running or the system is not Linux.
 */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isEnded = fields[0] === "Z" || fields[0] === "X";
    return isEnded ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
