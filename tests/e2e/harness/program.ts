import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** The Node that comes with the workspace, where there is one for the machine. */
const bundled = `${root}node_modules/.bin/node`;
const node = existsSync(bundled) ? bundled : process.execPath;

/** A user's environment, without what the test runner puts into it. */
export const userEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$|KUBECONFIG$|KUBEBUILDER_)/.test(name),
  ),
);

/** A program of the workspace in a process of its own, run from source as `npm start` does. */
export class Program {
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | string>;

  /** @param script from the root of the workspace */
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
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its exit code, or the signal that ended it. */
  get exit(): Promise<number | string> {
    return this.#exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves once standard output has it. */
  async says(text: string | RegExp, timeoutMs?: number): Promise<void> {
    await eventually(() => {
      const has = typeof text === "string" ? this.stdout.includes(text) : text.test(this.stdout);
      if (!has) throw new Error(`no ${text} in:\n${this.stdout.slice(-4_000)}\n${this.stderr.slice(-4_000)}`);
    }, timeoutMs);
  }

  /** Ends it, if it still runs. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
