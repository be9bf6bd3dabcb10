import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Time limit for expected output. */
const patienceMs = 60_000;

/** A program in its own process group, with its output. Disposing of it ends the whole group, as Ctrl-C does. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = "";

  constructor(command: string, words: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, words, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
  }

  /** Waits for output that matches and returns the match. @throws {Error} with the output if nothing matches in time */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return found;
      if (performance.now() > until || this.#child.exitCode !== null)
        throw new Error(`${this.#child.spawnargs.join(" ")} did not print ${pattern}:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGINT"); // npm would leave its child processes running
    await this.#ended;
  }
}
