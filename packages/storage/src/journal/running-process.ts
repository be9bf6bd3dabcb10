import { existsSync, readFileSync } from "node:fs";

/** Whether that process runs: not one that ended and that nobody has asked about yet, nor a later one of the same number. */
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

/** When a process that runs was started, as Linux counts it; `undefined` where it does not run, or elsewhere. */
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
