import type { Clock } from "@kubewright/clock";

/** What is needed of `process`. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid: number;
  on(signal: "SIGINT" | "SIGTERM" | "SIGHUP", listener: () => void): unknown;
  exit(code: number): void;
}

const parentMs = 250;

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. npm passes a signal to the shell that it
 * starts scripts with, and that shell ends without passing it on: the end of the parent is a signal too then.
 */
export function stopSignal(process: ProcessLike, clock: Clock): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  if (process.env.npm_lifecycle_event !== undefined) watchParent(process, clock, stop);
  return stop.signal;
}

function watchParent(process: ProcessLike, clock: Clock, stop: AbortController): void {
  const parent = process.ppid;
  const look = (): void => {
    if (stop.signal.aborted) return;
    if (process.ppid !== parent) stop.abort();
    else clock.after(parentMs, look, { unref: true });
  };
  clock.after(parentMs, look, { unref: true });
}
