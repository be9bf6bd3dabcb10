import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "@kubewright/clock";
import type { ContainerOutput } from "../log/container-log.ts";
import type { ProcessUser } from "./process-user.ts";

/** The environment of the processes in a container. */
export interface ProcessPlace {
  readonly cwd: string;
  /** User and group of the process. Default: the user of this process. */
  readonly user?: ProcessUser | undefined;
  /** Environment variables of the process. Nothing is inherited from this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export interface ChildOptions extends ProcessPlace {
  /** Path of the Node.js executable. */
  readonly execPath: string;
  readonly args: readonly string[];
  readonly output: ContainerOutput;
  /** True to keep the program's standard input open. Default false: it is empty. */
  readonly stdin?: boolean | undefined;
}

export interface RunningChild {
  readonly pid: number;
  /** Standard input of the program, if it is open. */
  readonly stdin: Writable | undefined;
  /**
   * Resolves when the process and all its descendants have exited. The result is the exit code, or 128 plus the number of the signal that
   * killed the process. Never rejects.
   */
  readonly exited: Promise<number>;
  /** Sends SIGTERM, and SIGKILL if the process has not exited after `graceMs`. Resolves when the process has exited. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Module that is loaded before the program. When the parent process exits for any reason, the module ends the program and its forks. On
 * Windows, it cannot detect this.
 *
 * It also sets the container's umask, regardless of the parent's.
 */
const guard = `data:text/javascript,${encodeURIComponent(`
import { isMainThread } from "node:worker_threads";
const parent = process.ppid;
const look = () => {
  if (process.ppid !== parent || (parent === 1 && ${process.pid} !== 1)) process.kill(process.pid, "SIGKILL");
};
look();
if (isMainThread) {
  process.umask(0o022);
  setInterval(look, 200).unref();
}
`)}`;

/** Maximum time for which a program's descendants may keep its output open after the program has exited. */
const lastOutputMs = 1_000;
const isPosix = process.platform !== "win32";

/** Runs a Node.js program. @throws {Error} if the program cannot be started */
export async function startChild(options: ChildOptions): Promise<RunningChild> {
  const { execPath, args, output, clock } = options;
  const started = await startProcess(execPath, ["--import", guard, ...args], options, {
    stdin: options.stdin ?? false,
    lastOutputMs,
    read: (stream, name) => keepUpWith(stream, (chunk) => output.write(chunk, name), clock),
  });
  return started;
}

export interface ProcessStreams {
  /** True to keep the standard input open. */
  readonly stdin: boolean;
  /** Maximum time for which output is read after the process has exited. Default: unlimited. */
  readonly lastOutputMs?: number | undefined;
  /** Called once for each output stream when the process has been created. It must read the stream. */
  read(stream: Readable, name: "stdout" | "stderr"): void;
}

/** Starts a process. @throws {Error} if it cannot be started */
export async function startProcess(
  program: string,
  args: readonly string[],
  { cwd, user, env, clock }: ProcessPlace,
  streams: ProcessStreams,
): Promise<RunningChild> {
  const child: ChildProcess = spawn(program, args, {
    cwd,
    ...user, // if a user is set, Node.js also drops this process's supplementary groups
    env: { ...env },
    stdio: [streams.stdin ? "pipe" : "ignore", "pipe", "pipe"],
    detached: isPosix, // in a separate process group, terminal signals do not reach it, and it can be killed as a whole
    windowsHide: true,
  });
  const { stdin, stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("the process has no output streams");
  stdin?.on("error", () => {}); // the process has exited or has closed its input
  streams.read(stdout, "stdout");
  streams.read(stderr, "stderr");
  const closed = Promise.withResolvers<number>();
  child.on("exit", (code, signal) => {
    killGroup(child);
    const late =
      streams.lastOutputMs === undefined
        ? undefined
        : clock.after(streams.lastOutputMs, () => {
            stdout.destroy();
            stderr.destroy();
          });
    child.on("close", () => {
      late?.cancel();
      closed.resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  const { promise: begun, resolve, reject } = Promise.withResolvers<void>();
  child.on("spawn", resolve);
  child.on("error", reject); // any later error only reports that a signal could not be sent, so it is ignored
  await begun;
  return {
    pid: child.pid ?? 0,
    stdin: stdin ?? undefined,
    exited: closed.promise,
    async stop(graceMs) {
      child.kill("SIGTERM");
      const timer = clock.after(graceMs, () => {
        child.kill("SIGKILL");
        killGroup(child);
      });
      await closed.promise;
      timer.cancel();
    },
  };
}

/**
 * Maximum output to read from a program per second. A program that writes more has to wait; without this limit, a program that never stops
 * writing would starve this process.
 */
const bytesPerSecond = 4 * 1_024 * 1_024;
const bytesAtOnce = 16 * 1_024;

function keepUpWith(stream: Readable, take: (chunk: Buffer) => void, clock: Clock): void {
  stream.on("data", (chunk: Buffer) => {
    take(chunk);
    if (chunk.length < bytesAtOnce) return;
    stream.pause();
    clock.after((chunk.length / bytesPerSecond) * 1_000, () => stream.resume());
  });
}

/** Kills the remaining descendants of a process that has exited. */
function killGroup({ pid }: ChildProcess): void {
  if (!isPosix || pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error; // no processes left
  }
}
