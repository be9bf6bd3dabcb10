import { readFileSync } from "node:fs";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";

const intervalMs = 200;

/** This process's parent. */
export interface ParentProcess {
  /** Process ID at the start. */
  readonly id: number;
  /** Returns the current parent's process ID, which changes when the parent dies. */
  readonly current: () => number;
}

/**
 * Returns the parent process. The launcher passes on the parent's ID, so that the function can also detect that the
 * parent ended before this process started.
 */
export const thisParent = (env: Readonly<Record<string, string | undefined>>): ParentProcess => ({
  id: Number(env.KUBEWRIGHT_PARENT_PID) || process.ppid,
  current: () => process.ppid,
});

/**
 * Returns the shell of npm if npm started this process, otherwise undefined. npm sends signals only to that shell,
 * which exits without forwarding them. If the shell has already exited, so that this process's parent is process 1, the
 * returned parent counts as ended; in a container, however, process 1 may be npm itself.
 */
export function npmParent(
  env: Readonly<Record<string, string | undefined>>,
  { ppid = process.ppid, firstCommand = readFirstCommand } = {},
): ParentProcess | undefined {
  if (env.npm_lifecycle_event === undefined) return undefined;
  const isInherited = ppid === 1 && !/^npm\b|npm-cli\.js/.test(firstCommand());
  return { id: isInherited ? gone : ppid, current: () => process.ppid };
}

/** ID that no process has. */
const gone = -1;

function readFirstCommand(): string {
  try {
    return readFileSync("/proc/1/cmdline", "utf8");
  } catch {
    return ""; // not Linux, so npm is not the first process
  }
}

/** Watches the parent, and calls `end` when the parent ends for any reason. Does not keep the process alive. */
export function dieWithParent(parent: ParentProcess, end: () => void, clock: Clock = systemClock): Timer {
  const look = (): void => {
    if (parent.current() !== parent.id) end();
    else timer = clock.after(intervalMs, look, { unref: true });
  };
  let timer = clock.after(0, look, { unref: true });
  return { cancel: () => timer.cancel() };
}
