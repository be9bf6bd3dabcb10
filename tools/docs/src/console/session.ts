import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Result of a command: its output (stdout and stderr merged) and its exit code. */
export interface Printed {
  readonly lines: readonly string[];
  /** Exit code. Undefined while the command continues to run. */
  readonly code: number | undefined;
}

/** Maximum number of characters that are kept of a command's output. */
const most = 1 << 20;

/** The shell of a page; its working directory and variables persist from one command to the next. */
export class Session implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<unknown>;
  #output = "";
  #wake: () => void = () => {};
  #left = 0;

  /** @param folder initial working directory, in which the output of commands that continue to run is also stored */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    // The shell has its own process group, so that processes that its commands leave behind end together with it.
    this.#shell = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env, detached: true, stdio: "pipe" });
    this.#ended = once(this.#shell, "exit").finally(() => this.#wake());
    this.#shell.stdin?.on("error", () => {}); // the exit event reports the end of the shell
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-most);
        this.#wake();
      });
  }

  /** Runs a command to its end. @throws {Error} if it does not end in time or ends the shell */
  async run(text: string, timeoutMs: number): Promise<Printed> {
    const mark = randomBytes(12).toString("hex");
    this.#output = "";
    this.#write(`eval ${quoted(text)} </dev/null 2>&1; printf '\\n%s %d\\n' ${mark} $?`);
    const pattern = new RegExp(`\\n${mark} (\\d+)\\n`);
    const timeout = AbortSignal.timeout(timeoutMs);
    timeout.addEventListener("abort", () => this.#wake());
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return { lines: linesIn(this.#output.slice(0, found.index)), code: Number(found[1]) };
      if (this.#shell.exitCode !== null || this.#shell.signalCode !== null)
        throw new Error(`ended the shell; it printed ${this.#output}`);
      if (timeout.aborted) throw new Error(`did not end within ${timeoutMs / 1_000} s; it printed ${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /**
   * Starts a command that continues to run. Returns when the command has printed the expected output or has reached
   * its time limit.
   */
  async start(text: string, timeoutMs: number, isEnough: (lines: readonly string[]) => boolean): Promise<Printed> {
    const path = join(this.#folder, `.stays-${++this.#left}`);
    closeSync(openSync(path, "w"));
    this.#write(`eval ${quoted(text)} </dev/null >${quoted(path)} 2>&1 &`);
    const until = performance.now() + timeoutMs;
    for (;;) {
      const lines = linesIn(readFileSync(path, "utf8").slice(0, most));
      if (isEnough(lines) || performance.now() > until) return { lines, code: undefined };
      await pause(50);
    }
  }

  #write(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.stdin?.end();
    this.#signal("SIGTERM");
    await Promise.race([this.#ended, pause(2_000)]);
    for (let left = 50; left > 0 && this.#signal(0); left--) await pause(100); // lets running commands shut down
    this.#signal("SIGKILL");
    await this.#ended;
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#shell.pid !== undefined && process.kill(-this.#shell.pid, signal);
    } catch {
      return false; // the group is gone
    }
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const linesIn = (text: string): readonly string[] => text.replaceAll("\r", "").split("\n");
