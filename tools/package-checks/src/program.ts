import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** How long until something is said that should be said at once. */
const patienceMs = 60_000;

/** A program in a group of processes of its own, and what it says. Its end is that of all of them, as with Ctrl-C. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #said = "";

  constructor(command: string, words: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, words, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
  }

  /** The match, once it has said that. @throws {Error} with what it said instead */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = pattern.exec(this.#said);
      if (found) return found;
      if (performance.now() > until || this.#child.exitCode !== null)
        throw new Error(`${this.#child.spawnargs.join(" ")} did not say ${pattern}:\n${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGINT"); // npm alone would leave what it runs behind
    await this.#ended;
  }
}
