import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { run } from "./command.ts";

/** How long until something is said that should be said at once. */
const patienceMs = 60_000;

/** Runs the project against a control plane of its own until its controller has reconciled the sample. */
export async function firstReconcile(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const kubeconfig = join(folder, "..", "kubeconfig");
  const kubewright = (...words: string[]): string => run("npx", ["kubewright", ...words], { cwd: folder, env });
  const cli = join("node_modules", "@kubewright", "cli", "bin", "kubewright.mjs");
  await using plane = new Program([cli, "controlplane", "--kubeconfig-out", kubeconfig], folder, env);
  await plane.says(/control plane ready/);
  kubewright("install", "--kubeconfig", kubeconfig);
  const nowhere = ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"];
  const words = ["src/main.ts", "--kubeconfig", kubeconfig, "--log-level", "debug", ...nowhere];
  await using program = new Program(words, folder, env);
  kubewright("apply", "-f", "config/samples", "--kubeconfig", kubeconfig);
  await program.says(/"name":"example".*"reconciled"/);
}

/** A process of Node, and what it says. */
class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #said = "";

  constructor(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn("node", words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
  }

  /** @throws {Error} with what it said instead */
  async says(pattern: RegExp): Promise<void> {
    const until = performance.now() + patienceMs;
    while (!pattern.test(this.#said)) {
      if (performance.now() > until || this.#child.exitCode !== null)
        throw new Error(`${this.#child.spawnargs.join(" ")} did not say ${pattern}:\n${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }
}
