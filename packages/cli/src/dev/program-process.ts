import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type Clock, systemClock } from "@kubewright/clock";
import type { Io } from "../process/io.ts";

export interface ProgramProcessOptions {
  /** The project's folder. */
  readonly root: string;
  /** Main module, relative to the project. */
  readonly main: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Debugger address; empty for Node's default address. Default: no debugger. */
  readonly inspect?: string | undefined;
  readonly io: Io;
  /** Maximum time for the program to exit after SIGTERM, in milliseconds. Default 10,000. */
  readonly graceMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * The program as a child process, run by the same Node.js executable. It has its own process group, so that Ctrl-C in a
 * terminal does not reach the program directly, and all processes started by the program end together with it.
 */
export class ProgramProcess {
  readonly #options: ProgramProcessOptions;
  readonly #child: ChildProcess;
  #isStopping = false;
  /**
   * Resolves with a description of how the program ended: `exited with code 1` or `was killed by SIGKILL`. Resolves with undefined after
   * `stop`.
   */
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
        const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
        resolve(this.#isStopping ? undefined : how);
      });
      this.#child.once("exit", () => this.#killGroup()); // otherwise, child processes would keep the output open
    });
  }

  /** Sends SIGTERM and waits; sends SIGKILL after `graceMs`. */
  async stop(): Promise<void> {
    const { graceMs = 10_000, clock = systemClock, io } = this.#options;
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = clock.after(graceMs, () => {
      io.err(`  ${this.#options.main} did not exit within ${graceMs / 1_000} s; killing it\n`);
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
