import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** Returns the CPU time (user and system) that processes have used until now, in seconds. Linux only. */
export function cpuSeconds(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  });
}

/** Returns the resident memory of processes, in MiB. Linux only. */
export function residentMiB(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(line?.[1] ?? Number.NaN) / 1024;
  });
}

const sum = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + of(pid), 0);
