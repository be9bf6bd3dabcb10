import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import type { ReplicaOrder, ReplicaReport } from "./order.ts";

const program = new URL("replica-program.ts", import.meta.url).pathname;

/** A replica in a separate process. */
export class ReplicaProcess {
  port: number | undefined;
  isReady = false;
  /** Number of open connections to it. */
  calls = 0;
  /** True if it gets no more calls. */
  isDrained = false;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(order: ReplicaOrder, phase: (phase: string) => void) {
    const child = spawn(process.execPath, ["--conditions=@kubewright/source", program, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
    if (!child.stdout) throw new Error("the replica has no output");
    createInterface(child.stdout).on("line", (line) => {
      const report: ReplicaReport = JSON.parse(line);
      if ("port" in report) this.port = report.port;
      else if ("ready" in report) this.isReady = report.ready;
      else phase(report.phase);
    });
  }

  get takesCalls(): boolean {
    return this.port !== undefined && this.isReady && !this.isDrained;
  }

  /** Runs `kill -9` while no call is in progress, because an aborted call says nothing about certificates. */
  async kill(): Promise<void> {
    this.isDrained = true;
    // An API server keeps idle connections open, so there is no need to wait for their end.
    for (let waitedMs = 0; this.calls > 0 && waitedMs < 2_000; waitedMs += 5)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await this.cutOff();
  }

  /** Runs `kill -9` at once. */
  async cutOff(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
    this.isDrained = true;
  }
}
