import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "@kubewright/clock";

/** The part of `process` that is used. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid: number;
  on(signal: "SIGINT" | "SIGTERM" | "SIGHUP", listener: () => void): unknown;
  exit(code: number): void;
}

export interface StopSignalOptions {
  readonly clock?: Clock;
  /** Returns the command line of the process with ID 1, which adopts processes whose parent has ended. */
  readonly firstCommand?: () => string;
}

const parentMs = 250;

/**
 * Returns a signal that aborts on the first SIGINT, SIGTERM or SIGHUP. A second one ends the process immediately. npm passes signals to the
 * shell that runs its scripts, and that shell ends without forwarding them. Therefore, the end of the parent process also aborts the
 * signal, even if the parent ended before this process was ready.
 */
export function stopSignal(
  process: ProcessLike,
  { clock = systemClock, firstCommand = readFirstCommand }: StopSignalOptions = {},
): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  if (process.env.npm_lifecycle_event === undefined) return stop.signal;
  if (process.ppid === 1 && !isNpm(firstCommand())) stop.abort();
  else watchParent(process, clock, stop);
  return stop.signal;
}

function watchParent(process: ProcessLike, clock: Clock, stop: AbortController): void {
  const parent = process.ppid;
  const check = (): void => {
    if (stop.signal.aborted) return;
    if (process.ppid !== parent) stop.abort();
    else clock.after(parentMs, check, { unref: true });
  };
  clock.after(parentMs, check, { unref: true });
}

/**
 * Reports whether a command line belongs to npm. In a container, npm may be the first process, and the script may have replaced its shell.
 */
const isNpm = (command: string): boolean => /^npm\b|npm-cli\.js/.test(command);

function readFirstCommand(): string {
  try {
    return readFileSync("/proc/1/cmdline", "utf8");
  } catch {
    return ""; // not Linux, so npm is not the first process
  }
}
