import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root } from "../workspace.ts";
import type { PageSetting } from "./run-page.ts";

const cli = join(root, "packages/cli/bin/kubewright.mjs");
const withSources = ["--conditions=@kubewright/source"];

/** Time limit for starting a control plane, on a busy machine. */
const readyWithinMs = 60_000;

/**
 * Environment of a page's commands: an empty folder in which this workspace's packages are installed, a control plane to which
 * `KUBECONFIG` points, the commands `kubewright` and `npx kubewright`, and an npm that installs nothing.
 */
export class Scratch implements AsyncDisposable, PageSetting {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Time limit of a command, on a busy machine. */
  readonly timeoutMs = 120_000;
  readonly #top: string;
  readonly #plane: ChildProcess;

  private constructor(top: string, compiled: string, plane: ChildProcess) {
    this.#top = top;
    this.#plane = plane;
    this.folder = join(top, "home");
    const path = [join(top, "bin"), dirname(process.execPath), process.env.PATH ?? ""];
    this.env = {
      PATH: path.join(delimiter),
      HOME: this.folder,
      KUBECONFIG: join(top, "kubeconfig"),
      NODE_OPTIONS: withSources.join(" "),
      NODE_COMPILE_CACHE: compiled,
      NO_COLOR: "1",
      LANG: "C.UTF-8",
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
    };
  }

  /**
   * @param compiled folder in which Node caches compiled sources, shared by all instances
   * @throws {Error} if the control plane does not start, with its output
   */
  static async make(compiled: string): Promise<Scratch> {
    const top = mkdtempSync(join(tmpdir(), "kubewright-console-"));
    for (const name of ["home", "bin"]) mkdirSync(join(top, name));
    symlinkSync(join(root, "node_modules"), join(top, "node_modules"));
    const run = `exec "${process.execPath}" "${cli}"`;
    program(join(top, "bin/kubewright"), `${run} "$@"`);
    program(
      join(top, "bin/npx"),
      `if [ "$1" = kubewright ]; then shift; ${run} "$@"; fi\necho "npx $1: these pages can only run npx kubewright" >&2\nexit 127`,
    );
    const words = [
      ...withSources,
      cli,
      "controlplane",
      "--process-images",
      "--kubeconfig-out",
      join(top, "kubeconfig"),
    ];
    const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
    const plane = spawn(process.execPath, words, { cwd: top, env, stdio: ["ignore", "pipe", "pipe"] });
    const scratch = new Scratch(top, compiled, plane);
    try {
      await ready(plane);
      return scratch;
    } catch (error) {
      await scratch[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#plane.exitCode === null && this.#plane.signalCode === null) {
      const ended = once(this.#plane, "exit");
      this.#plane.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#top, { recursive: true, force: true, maxRetries: 5 });
  }
}

function program(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

async function ready(plane: ChildProcess): Promise<void> {
  const isReady = Promise.withResolvers<void>();
  let output = "";
  const keep = (text: string): void => {
    output += text;
    if (/control plane ready/.test(output)) isReady.resolve();
  };
  for (const stream of [plane.stdout, plane.stderr]) stream?.setEncoding("utf8").on("data", keep);
  plane.once("error", isReady.reject);
  plane.once("exit", (code) => isReady.reject(new Error(`kubewright controlplane ended with ${code}: ${output}`)));
  const timeout = AbortSignal.timeout(readyWithinMs);
  timeout.addEventListener("abort", () => isReady.reject(new Error(`kubewright controlplane is not ready: ${output}`)));
  await isReady.promise;
}
