import { Client } from "@kubewright/client";
import { ConfigMap, Namespace } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import type { Bench } from "../bench.ts";
import type { Figures } from "../figures.ts";
import { measure, type Subject } from "../measure.ts";

/** Number of requests that wait for their responses at the same time. */
const parallel = 16;
const ways = [
  { name: "in-process", inProcess: true },
  { name: "over sockets", inProcess: false },
] as const;
/** Operations, with the target for the ratio of in-process to sockets. */
const targets = { creates: 2, gets: 4, "merge patches": 2, "watch events": 1.2 } as const;
type Operation = keyof typeof targets;
const kinds = Object.keys(targets) as Operation[];

/**
 * Compares requests to the embedded server in-process with requests over TLS and HTTP/2. Client and server share a process, as in a
 * program's tests, so the figures contain the CPU time of both.
 */
export async function* inProcess({ sizes }: Bench): AsyncGenerator<Figures> {
  const { serverObjects, rounds } = sizes;
  const environments: Environment[] = [];
  const clients: Client[] = [];
  const sides = [];
  for (const { name, inProcess } of ways) {
    const environment = await Environment.start({ assets: "", inProcess });
    const client = new Client({ connection: environment.connection() });
    environments.push(environment);
    clients.push(client);
    sides.push({ name, load: new Load(client, serverObjects) });
  }
  try {
    const values = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
    for (const kind of kinds) {
      const subjects = sides.map(
        ({ name, load }): Subject => ({ name, operations: serverObjects, run: () => load.run(kind) }),
      );
      for (const { name, operationsPerCpuSecond } of await measure(subjects, rounds))
        values.get(name)?.push(operationsPerCpuSecond);
    }
    yield {
      title: `ConfigMaps of 1 KB, client and server in one process, ${parallel} requests at a time`,
      columns: kinds.map((kind) => ({ title: `${kind} per CPU s`, digits: 0 })),
      rows: ways.map(({ name }) => ({ name, values: values.get(name) ?? [] })),
      targets: kinds.map((what, column) => ({ what, column, against: "over sockets", atLeast: targets[what] })),
    };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(environments.map((environment) => environment.stop()));
  }
}

/** Requests of one client, each kind in a separate namespace per run. */
class Load {
  readonly #client: Client;
  readonly #count: number;
  #namespace = "";

  constructor(client: Client, count: number) {
    this.#client = client;
    this.#count = count;
  }

  async run(kind: Operation): Promise<void> {
    if (kind === "creates") {
      this.#namespace = (await this.#client.create(Namespace, { metadata: { generateName: "bench-" } })).metadata.name;
      return this.#each((name) => this.#create(name));
    }
    if (kind === "gets") return this.#each((name) => this.#client.get(ConfigMap, { namespace: this.#namespace, name }));
    if (kind === "merge patches") return this.#each((name) => this.#patch(name));
    return this.#watched();
  }

  #create(name: string): Promise<unknown> {
    const metadata = { namespace: this.#namespace, name };
    return this.#client.create(ConfigMap, { metadata, data: { text: "x".repeat(1_000) } });
  }

  #patch(name: string): Promise<unknown> {
    const object = { metadata: { namespace: this.#namespace, name } };
    return this.#client.patch(ConfigMap, object, { data: { changed: String(Math.random()) } });
  }

  /** Receives an event for each object when a watch begins. */
  async #watched(): Promise<void> {
    let count = 0;
    const options = { namespace: this.#namespace, sendInitialEvents: true };
    for await (const { type } of this.#client.watch(ConfigMap, options))
      if (type === "ADDED" && ++count === this.#count) return;
  }

  async #each(request: (name: string) => Promise<unknown>): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < this.#count) await request(`c${next++}`);
    };
    await Promise.all(Array.from({ length: parallel }, worker));
  }
}
