import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../workspace.ts";

const patienceMs = 180_000;

/** The program that `npm start` runs. It runs in a separate process until this object is disposed. */
export class Demo implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  /** Address of the console; it signs in one browser. */
  readonly consoleUrl: Promise<string>;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "kubewright-pictures-"));
    const words = ["--conditions=@kubewright/source", join(root, "apps/sdewan-operator/demo/main.ts")];
    this.#child = spawn(process.execPath, [...words, "--kubeconfig-out", join(this.#folder, "kubeconfig")], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.consoleUrl = this.#findUrl();
    this.consoleUrl.catch(() => {}); // reported to the callers that await it
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #findUrl(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { stdout } = this.#child;
    if (!stdout) throw new Error("the demo has no output");
    createInterface(stdout).on("line", (line) => {
      const [, url] = /console (http:\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    this.#child.once("exit", (code) => reject(new Error(`the demo ended with ${code}`)));
    const timer = setTimeout(
      () => reject(new Error(`the demo printed no address of a console within ${patienceMs} ms`)),
      patienceMs,
    );
    return promise.finally(() => clearTimeout(timer));
  }
}
