import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A program that runs during a test. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = "";

  constructor(path: string, args: readonly string[]) {
    this.#child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-20_000);
      });
  }

  get output(): string {
    return this.#output;
  }

  /**
   * Waits until `check` returns true.
   *
   * @throws {Error} with the program's last output if it ends before, or after a minute
   */
  async until(check: () => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      if (this.#child.exitCode !== null) break;
      if (await check().catch(() => false)) return;
      await sleep(100);
    }
    throw new Error(`${this.#child.spawnfile} did not become ready:\n${this.#output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
