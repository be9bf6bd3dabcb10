import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** What a command printed, both streams in one, and what it ended with. */
export interface Printed {
  readonly lines: readonly string[];
  /** Undefined for one that goes on. */
  readonly code: number | undefined;
}

/** How much of what a command prints is kept, in characters. */
const most = 1 << 20;

/** A shell of a page: folder and variables stay from one command to the next. */
export class Session implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<unknown>;
  #said = "";
  #wake: () => void = () => {};
  #left = 0;

  /** @param folder where it begins, and keeps what commands print that stay */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    // A group of its own, so that whatever its commands left ends with it.
    this.#shell = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env, detached: true, stdio: "pipe" });
    this.#ended = once(this.#shell, "exit").finally(() => this.#wake());
    this.#shell.stdin?.on("error", () => {}); // a shell that has ended is told of by its exit
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-most);
        this.#wake();
      });
  }

  /** Runs a command to its end. @throws {Error} if it has not ended in time, or ends the shell */
  async run(text: string, timeoutMs: number): Promise<Printed> {
    const mark = randomBytes(12).toString("hex");
    this.#said = "";
    this.#write(`eval ${quoted(text)} </dev/null 2>&1; printf '\\n%s %d\\n' ${mark} $?`);
    const pattern = new RegExp(`\\n${mark} (\\d+)\\n`);
    const giveUp = AbortSignal.timeout(timeoutMs);
    giveUp.addEventListener("abort", () => this.#wake());
    for (;;) {
      const found = pattern.exec(this.#said);
      if (found) return { lines: linesIn(this.#said.slice(0, found.index)), code: Number(found[1]) };
      if (this.#shell.exitCode !== null || this.#shell.signalCode !== null)
        throw new Error(`ended the shell; it printed ${this.#said}`);
      if (giveUp.aborted) throw new Error(`did not end within ${timeoutMs / 1_000} s; it printed ${this.#said}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Starts a command that stays, and answers once it has printed what is wanted, or has had its time. */
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
    for (let left = 50; left > 0 && this.#signal(0); left--) await pause(100); // what stays may end in order
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
