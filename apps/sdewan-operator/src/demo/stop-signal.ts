import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "@kubewright/clock";

/** What is needed of `process`. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid: number;
  on(signal: "SIGINT" | "SIGTERM" | "SIGHUP", listener: () => void): unknown;
  exit(code: number): void;
}

export interface StopSignalOptions {
  readonly clock?: Clock;
  /** The command line of the process with ID 1, which inherits processes whose parent is gone. */
  readonly firstCommand?: () => string;
}

const parentMs = 250;

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. npm passes a signal to the shell that it
 * starts scripts with, and that shell ends without passing it on: the end of the parent is a signal too then, also where it came
 * before this process was up.
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
  const look = (): void => {
    if (stop.signal.aborted) return;
    if (process.ppid !== parent) stop.abort();
    else clock.after(parentMs, look, { unref: true });
  };
  clock.after(parentMs, look, { unref: true });
}

/** In a container npm may be the first process, and its shell may have become the script. */
const isNpm = (command: string): boolean => /^npm\b|npm-cli\.js/.test(command);

function readFirstCommand(): string {
  try {
    return readFileSync("/proc/1/cmdline", "utf8");
  } catch {
    return ""; // no Linux, so npm is not the first process
  }
}
