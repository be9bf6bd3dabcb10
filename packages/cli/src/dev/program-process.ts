import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Io } from "../process/io.ts";

export interface ProgramProcessOptions {
  /** The folder of the project. */
  readonly root: string;
  /** Its main module, by its path in the project. */
  readonly main: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the debugger listens at; empty for Node's own choice. Default: nowhere. */
  readonly inspect?: string | undefined;
  readonly io: Io;
  /** How long it may take to end once it is told to. Default 10,000 ms. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * The program as a process of its own, by the Node.js that runs this. It leads a process group, so that Ctrl-C in a terminal is this command's
 * to pass on, and nothing that it starts stays behind.
 */
export class ProgramProcess {
  readonly #options: ProgramProcessOptions;
  readonly #child: ChildProcess;
  #isStopping = false;
  /** How it ended: `with 1` or `by SIGKILL`. Nothing where it was told to. */
  readonly ended: Promise<string | undefined>;

  constructor(options: ProgramProcessOptions) {
    this.#options = options;
    const { root, main, args, env, inspect, io } = options;
    const own = import.meta.url;
    const isSource = own.endsWith(".ts");
    const ours = (name: string): string => new URL(`${name}${isSource ? ".ts" : ".js"}`, own).href;
    const words = [
      ...(isSource ? ["--conditions=@kubewright/source"] : []),
      ...(inspect === undefined ? [] : [inspect === "" ? "--inspect" : `--inspect=${inspect}`]),
      ...["--import", ours("parent-guard"), "--import", ours("program-preload"), join(root, main), ...args],
    ];
    this.#child = spawn(process.execPath, words, {
      cwd: root,
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    const { stdout, stderr } = this.#child;
    stdout?.setEncoding("utf8").on("data", io.out);
    stderr?.setEncoding("utf8").on("data", io.err);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        const how = signal === null ? `with ${code}` : `by ${signal}`;
        resolve(this.#isStopping ? undefined : how);
      });
      this.#child.once("exit", () => this.#killGroup()); // what it left would keep the output open
    });
  }

  /** Tells it to end, waits, and ends it by force where it takes too long. */
  async stop(): Promise<void> {
    const { graceMs = 10_000, clock = systemClock, io } = this.#options;
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = clock.after(graceMs, () => {
      io.err(`  ${this.#options.main} has not ended within ${graceMs / 1_000} s: it is killed\n`);
      this.#killGroup();
    });
    await this.ended.finally(() => timer.cancel());
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}
