import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { randomFrom } from "../schedule/random.ts";
import { type ContenderOrder, leaseDurationMs } from "./order.ts";

interface ProcessesReport {
  readonly started: number;
  readonly stopped: number;
  readonly killed: number;
  readonly terms: number;
  readonly writes: number;
  /** Number of writes of processes that were stopped between asking for permission and sending. A client cannot prevent these. */
  readonly betweenAskingAndSending: number;
  /** Violations. */
  readonly problems: readonly string[];
}

const contender = fileURLToPath(new URL("./contender.ts", import.meta.url));
const atATime = 4;

/**
 * Lets real processes compete for a Lease of 2 s at an API server. They write while they lead, and are stopped, continued and killed at any
 * time. Every write contains its term; the server determines the order of the writes.
 */
export async function runProcesses(count: number, seed: number): Promise<ProcessesReport> {
  await using env = await Environment.start({ assets: "" });
  const group = new Group(env, randomFrom(seed));
  return await group.play(count);
}

class Group {
  readonly #env: Environment;
  readonly #random: () => number;
  readonly #running = new Set<ChildProcess>();
  #started = 0;
  #stopped = 0;
  #killed = 0;
  readonly #late = new Map<string, string[]>();
  #term = -1;
  #terms = 0;
  #writes = 0;

  constructor(env: Environment, random: () => number) {
    this.#env = env;
    this.#random = random;
  }

  async play(count: number): Promise<ProcessesReport> {
    const client = new Client({ connection: this.#env.connection() });
    const over = new AbortController();
    await client.create(ConfigMap, { metadata: { namespace: "default", name: "group" } });
    const judging = this.#judge(client, over.signal);
    try {
      const places = Array.from({ length: Math.min(atATime, count) }, async () => {
        while (this.#started < count) await this.#life(++this.#started);
      });
      await Promise.all(places);
    } finally {
      for (const child of this.#running) child.kill("SIGKILL");
      await pause(500); // written values are reported
      over.abort();
      await judging;
      await client.close();
    }
    const [started, stopped, killed] = [this.#started, this.#stopped, this.#killed];
    // Each process is stopped once, and one thread sends one request at a time.
    const late = [...this.#late.values()];
    const betweenAskingAndSending = late.filter(({ length }) => length === 1).length;
    const problems = late.filter(({ length }) => length > 1).flat();
    return { started, stopped, killed, terms: this.#terms, writes: this.#writes, betweenAskingAndSending, problems };
  }

  /** One process from its start to its end, by losing leadership or by SIGKILL. */
  async #life(number: number): Promise<void> {
    const { server, caData, certData, keyData } = this.#env.connection();
    const connection = { server, caData, ...(certData && keyData ? { certData, keyData } : {}) };
    const order: ContenderOrder = { connection, group: "group", identity: `process-${number}`, writers: 8 };
    const child = spawn(process.execPath, ["--conditions=@kubewright/source", contender, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#running.add(child);
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const elected = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
    await Promise.race([elected, ended]);
    await this.#disturb(child);
    await Promise.race([ended, pause(2 * leaseDurationMs)]);
    child.kill("SIGKILL");
    await ended;
    this.#running.delete(child);
  }

  /** Disturbs the leader. Half are stopped for longer than the lease, some for less, some are killed. */
  async #disturb(child: ChildProcess): Promise<void> {
    await pause(this.#random() * 700);
    if (this.#random() < 0.15) {
      this.#killed++;
      child.kill("SIGKILL");
      return;
    }
    const isLong = this.#random() < 0.75;
    this.#stopped++;
    child.kill("SIGSTOP");
    await pause(isLong ? leaseDurationMs * (1 + this.#random()) : leaseDurationMs * this.#random());
    child.kill("SIGCONT");
    if (!isLong) await pause(500);
  }

  async #judge(client: Client, signal: AbortSignal): Promise<void> {
    const options = { namespace: "default", fieldSelector: "metadata.name=group", signal };
    for await (const event of client.watch(ConfigMap, options)) {
      if (event.type !== "MODIFIED") continue;
      const { term = "", by = "", write } = event.object.data ?? {};
      this.#writes++;
      if (Number(term) < this.#term) {
        const late = `write ${write} of ${by} in term ${term} after one of ${this.#term}`;
        this.#late.set(by, [...(this.#late.get(by) ?? []), late]);
      } else if (Number(term) > this.#term) {
        this.#term = Number(term);
        this.#terms++;
      }
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
