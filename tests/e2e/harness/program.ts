import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** The Node of the workspace, if it has one for this machine. */
const bundled = `${root}node_modules/.bin/node`;
const node = existsSync(bundled) ? bundled : process.execPath;

/** The environment of a user, without variables of the test runner. */
export const userEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$|KUBECONFIG$|KUBEBUILDER_)/.test(name),
  ),
);

export function queuedMsOf(pid: number | "self"): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return undefined; // it has ended, or the system has no such file
  }
}

/** A program of the workspace in a separate process, run from source like with `npm start`. */
export class Program {
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | string>;
  #queuedMs = 0;

  /** @param script relative to the root of the workspace */
  constructor(script: string, args: readonly string[]) {
    const child = spawn(node, ["--conditions=@kubewright/source", script, ...args], {
      cwd: root,
      env: userEnvironment,
    });
    child.stdout.on("data", (chunk: Buffer) => {
      this.stdout += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString("utf8");
    });
    this.#child = child;
    this.#exit = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal ?? "")));
    const reading = setInterval(() => this.queuedMs, 50);
    void this.#exit.then(() => clearInterval(reading));
  }

  /**
   * How long the main threads of the program and of this process could run, but waited for a processor, in ms. For a program
   * that has ended, as of at most 50 ms before. 0 where the system has no such count.
   */
  get queuedMs(): number {
    this.#queuedMs = queuedMsOf(this.pid) ?? this.#queuedMs;
    return this.#queuedMs + (queuedMsOf("self") ?? 0);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves to its exit code, or the signal that ended it. */
  get exit(): Promise<number | string> {
    return this.#exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves once standard output contains the text. */
  async prints(text: string | RegExp, timeoutMs?: number): Promise<void> {
    await eventually(() => {
      const has = typeof text === "string" ? this.stdout.includes(text) : text.test(this.stdout);
      if (!has) throw new Error(`no ${text} in:\n${this.stdout.slice(-4_000)}\n${this.stderr.slice(-4_000)}`);
    }, timeoutMs);
  }

  /** Kills it, if it is still running. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
