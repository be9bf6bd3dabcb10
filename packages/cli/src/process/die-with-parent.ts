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

/** Looks after the parent: once it is gone, however it ended, `end` is called. Looking does not keep the process alive. */
export function dieWithParent(parent: ParentProcess, end: () => void, clock: Clock = systemClock): Timer {
  const look = (): void => {
    if (parent.current() !== parent.id) end();
    else timer = clock.after(intervalMs, look, { unref: true });
  };
  let timer = clock.after(0, look, { unref: true });
  return { cancel: () => timer.cancel() };
}
