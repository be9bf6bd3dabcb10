import { readFileSync } from "node:fs";
import { type Clock, systemClock, type Timer } from "@kubewright/clock";

const intervalMs = 200;

/** The process that started this one. */
export interface ParentProcess {
  /** As it was at the start. */
  readonly id: number;
  /** As it is now: another one once the first has died. */
  readonly current: () => number;
}

/** The launcher passes on who started it, so that a parent that dies before this process is up is noticed, too. */
export const thisParent = (env: Readonly<Record<string, string | undefined>>): ParentProcess => ({
  id: Number(env.KUBEWRIGHT_PARENT_PID) || process.ppid,
  current: () => process.ppid,
});

/**
 * npm's shell, where npm started this process: npm passes signals to that shell only, which ends without passing them on. One that ended
 * before this process was up has left it to the process with ID 1, which may be npm itself in a container.
 */
export function npmParent(
  env: Readonly<Record<string, string | undefined>>,
  { ppid = process.ppid, firstCommand = readFirstCommand } = {},
): ParentProcess | undefined {
  if (env.npm_lifecycle_event === undefined) return undefined;
  const isInherited = ppid === 1 && !/^npm\b|npm-cli\.js/.test(firstCommand());
  return { id: isInherited ? gone : ppid, current: () => process.ppid };
}

/** No process has this ID. */
const gone = -1;

function readFirstCommand(): string {
  try {
    return readFileSync("/proc/1/cmdline", "utf8");
  } catch {
    return ""; // no Linux, so npm is not the first process
  }
}

/** Looks after the parent: once it is gone, however it ended, `end` is called. Looking does not keep the process alive. */
export function dieWithParent(parent: ParentProcess, end: () => void, clock: Clock = systemClock): Timer {
  const look = (): void => {
    if (parent.current() !== parent.id) end();
    else timer = clock.after(intervalMs, look, { unref: true });
  };
  let timer = clock.after(0, look, { unref: true });
  return { cancel: () => timer.cancel() };
}
