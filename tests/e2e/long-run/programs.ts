import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Configurations, ReplicaFigures, ReplicaOrder, ReplicaReport } from "./replica.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const bundled = join(root, "node_modules/.bin/node");
const node = existsSync(bundled) ? bundled : process.execPath;
const program = fileURLToPath(new URL("replica.ts", import.meta.url));
/** Time from the death of a replica until it is started again, like that of a kubelet. */
const restartDelayMs = 1_000;

export interface ProgramOptions extends Pick<ReplicaOrder, "connection" | "namespace" | "times"> {
  readonly name: ReplicaOrder["program"];
  /** Folder for the logs. Default: no logs. */
  readonly logs?: string | undefined;
  /** Called often, with whether a rotation of the certificate authority is in progress according to any replica. */
  readonly onRotating: (isRotating: boolean) => void;
}

/** A process of a program. */
export class Replica {
  port: number | undefined;
  isReady = false;
  leads = false;
  /** True while it sees a rotation of the certificate authority. */
  isRotating = false;
  /** Its webhook configurations, once its webhooks are served. */
  configurations: Configurations | undefined;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #asked: PromiseWithResolvers<ReplicaFigures | undefined> | undefined;
  hasEnded = false;

  constructor(order: ReplicaOrder, log: number | "ignore", onPhase: () => void) {
    const args = ["--expose-gc", "--conditions=@kubewright/source", program, JSON.stringify(order)];
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, HOME, NODE_COMPILE_CACHE };
    const child = spawn(node, args, { cwd: root, env, stdio: ["ignore", log, log, "ipc"] });
    this.#child = child;
    this.ended = new Promise((resolve) => child.once("exit", () => resolve()));
    void this.ended.then(() => {
      this.hasEnded = true;
      this.isReady = false;
      this.leads = false;
      this.isRotating = false;
      this.#asked?.resolve(undefined);
    });
    child.on("message", (report: ReplicaReport) => {
      if ("phase" in report) {
        this.isRotating = report.phase !== "steady";
        onPhase();
      } else if ("figures" in report) this.#asked?.resolve(report.figures);
      else if ("configurations" in report) this.configurations = report.configurations;
      else {
        this.port = report.port;
        this.isReady = report.ready;
        this.leads = report.leads;
      }
    });
  }

  /** Returns its figures after a garbage collection; undefined while it starts, or if it has ended. */
  async figures(): Promise<ReplicaFigures | undefined> {
    if (this.hasEnded || !this.isReady) return undefined;
    this.#asked = Promise.withResolvers();
    this.#child.send("figures", () => {});
    return Promise.race([this.#asked.promise, sleep(10_000, undefined, { ref: false })]);
  }

  async kill(): Promise<void> {
    this.isReady = false;
    if (!this.hasEnded) this.#child.kill("SIGKILL");
    await this.ended;
  }
}

/** Figures of one replica at one time. */
interface Sample extends Omit<ReplicaFigures, "metrics"> {
  readonly at: number;
}

/** Two replicas of a program behind one address. A replica that ends is started again. */
export class Program {
  readonly name: string;
  readonly replicas: Replica[] = [];
  /** Samples of each replica since it was started last. */
  readonly samples: Sample[][] = [[], []];
  /** Samples of each replica after its first start. */
  readonly first: (Sample | undefined)[] = [];
  /** Number of replicas that ended although nobody killed them. */
  endedByItself = 0;
  /** Number of requests of all replicas, by method and status code. */
  readonly requests = new Map<string, number>();
  readonly #options: ProgramOptions;
  readonly #front: Server;
  #url = "";
  #next = 0;
  #isStopping = false;

  private constructor(options: ProgramOptions) {
    this.name = options.name;
    this.#options = options;
    this.#front = createServer((socket) => {
      const ready = this.replicas.filter(({ isReady }) => isReady);
      const port = ready[this.#next++ % ready.length]?.port;
      if (port === undefined) return void socket.destroy();
      const onward = connect(port, "127.0.0.1");
      const end = (): void => {
        socket.destroy();
        onward.destroy();
      };
      for (const each of [socket, onward]) each.on("error", end).on("close", end);
      socket.pipe(onward).pipe(socket);
    });
  }

  static async start(options: ProgramOptions): Promise<Program> {
    const started = new Program(options);
    await new Promise<void>((resolve) => started.#front.listen(0, "127.0.0.1", resolve));
    const address = started.#front.address();
    started.#url = `https://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    for (const index of [0, 1]) started.#begin(index);
    return started;
  }

  /** Measures every replica. */
  async measure(): Promise<void> {
    await Promise.all(this.replicas.map((_, index) => this.#measure(index)));
  }

  /** Kills a replica, and resolves once it is started again. Returns false if it did not run. */
  async kill(index: number): Promise<boolean> {
    await this.#measure(index);
    const killed = this.replicas[index];
    if (!killed || killed.hasEnded) return false;
    this.#count(index);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#killed.set(index, resolve);
    await killed.kill();
    await promise;
    return true;
  }

  /** Index of the replica that leads, if any. */
  get leader(): number {
    return this.replicas.findIndex(({ leads }) => leads);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.replicas.forEach((_, index) => void this.#count(index));
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    this.#front.close();
  }

  /** Last requests of each running replica, by method and status code. */
  readonly #current: ReadonlyMap<string, number>[] = [];
  readonly #killed = new Map<number, () => void>();

  #begin(index: number): void {
    const { name, connection, namespace, times, logs, onRotating } = this.#options;
    const log = logs === undefined ? "ignore" : openSync(join(logs, `${name}-${index}.log`), "a");
    const order = { program: name, connection, namespace, url: this.#url, times };
    const replica = new Replica(order, log, () => onRotating(this.replicas.some(({ isRotating }) => isRotating)));
    if (log !== "ignore") closeSync(log);
    this.replicas[index] = replica;
    this.samples[index] = [];
    void replica.ended.then(async () => {
      if (this.#isStopping) return;
      const wasKilled = this.#killed.get(index);
      this.#killed.delete(index);
      if (!wasKilled) {
        this.endedByItself++;
        this.#count(index);
      }
      await sleep(restartDelayMs);
      if (!this.#isStopping) this.#begin(index);
      wasKilled?.();
    });
  }

  async #measure(index: number): Promise<void> {
    const figures = await this.replicas[index]?.figures();
    if (!figures) return;
    const { metrics, ...sample } = figures;
    this.#current[index] = requestsIn(metrics);
    const samples = this.samples[index] ?? [];
    samples.push({ ...sample, at: performance.now() });
    this.first[index] ??= samples[0];
  }

  /** Adds the requests of a replica that is about to end. */
  #count(index: number): void {
    for (const [what, count] of this.#current[index] ?? [])
      this.requests.set(what, (this.requests.get(what) ?? 0) + count);
    this.#current[index] = new Map();
  }
}

/** Returns the client's requests by method and status code. */
function requestsIn(metrics: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, labels = "", value] of metrics.matchAll(/^rest_client_requests_total\{(.*)\} (\S+)$/gm)) {
    const [, code = ""] = /code="([^"]*)"/.exec(labels) ?? [];
    const [, method = ""] = /method="([^"]*)"/.exec(labels) ?? [];
    const what = `${method} ${code}`;
    found.set(what, (found.get(what) ?? 0) + Number(value));
  }
  return found;
}
