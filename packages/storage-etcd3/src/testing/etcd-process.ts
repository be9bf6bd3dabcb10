import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns the path of the etcd program in `KUBEBUILDER_ASSETS` or on the `PATH`, or `undefined` if etcd is not
 * installed.
 */
export function etcdProgram(): string | undefined {
  const folders = [process.env.KUBEBUILDER_ASSETS ?? "", ...(process.env.PATH ?? "").split(delimiter)];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "etcd"))
    .find(existsSync);
}

/** A single etcd process that listens on a free port and stores its data in a temporary directory. */
export class EtcdProcess implements AsyncDisposable {
  readonly url: string;
  readonly #program: string;
  readonly #arguments: readonly string[];
  readonly #directory: string;
  #child: ChildProcess | undefined;

  private constructor(program: string, directory: string, client: number, peer: number) {
    this.url = `http://127.0.0.1:${client}`;
    const peerUrl = `http://127.0.0.1:${peer}`;
    this.#program = program;
    this.#directory = directory;
    this.#arguments = [
      `--data-dir=${directory}`,
      `--listen-client-urls=${this.url}`,
      `--advertise-client-urls=${this.url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      "--unsafe-no-fsync",
      "--log-level=error",
    ];
  }

  static async start(program: string): Promise<EtcdProcess> {
    const directory = mkdtempSync(join(tmpdir(), "etcd-"));
    const etcd = new EtcdProcess(program, directory, await freePort(), await freePort());
    await etcd.run();
    return etcd;
  }

  async run(): Promise<void> {
    this.#child = spawn(this.#program, this.#arguments, { stdio: ["ignore", "ignore", "inherit"] });
    for (let attempt = 0; attempt < 200; attempt++) {
      const healthy = await fetch(`${this.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (healthy) return;
      await sleep(50);
    }
    throw new Error(`${this.#program} did not become healthy at ${this.url}`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
