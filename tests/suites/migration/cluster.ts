import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isNotFound, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { applyManifests, readManifests } from "@kubewright/client/apply";
import { ClusterRoleBinding, ConfigMap, CustomResourceDefinition } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { expect, vi } from "vitest";
import { type Interval, Program } from "./program.ts";
import { Site } from "./sites.ts";

export const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const users = ["controller-runtime", "kopf", "port"] as const;
type User = (typeof users)[number];

export const eventually = <T>(check: () => Promise<T> | T): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 100 });

/** Number of writes and deletions of one ConfigMap. */
interface Changes {
  modified: number;
  deleted: number;
}

/** A server with the CRD, a user with only the program's role for each program, and a watch of all ConfigMaps. */
export class Cluster implements AsyncDisposable {
  readonly client: Client;
  readonly #env: Environment;
  readonly #folder = mkdtempSync(join(tmpdir(), "kubewright-migration-"));
  readonly #programs: Program[] = [];
  readonly #changes = new Map<string, Changes>();
  readonly #stop = new AbortController();
  #edits: Promise<void> = Promise.resolve();
  #editor = new AbortController();
  #edited = 0;

  private constructor(env: Environment) {
    this.#env = env;
    this.client = new Client({ connection: env.connection() });
  }

  static async start(): Promise<Cluster> {
    const env = await Environment.start({ users: users.map((name) => ({ name })) });
    const cluster = new Cluster(env);
    const files = ["crd.yaml", "peering.yaml", "roles.yaml"].map(file);
    const { manifests } = await readManifests({ files });
    for await (const { outcome, reason } of applyManifests(cluster.client, manifests))
      expect([outcome, reason]).toEqual(["applied", undefined]);
    for (const name of users)
      await cluster.client.create(ClusterRoleBinding, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
      });
    await cluster.client.create(unstructured({ apiVersion: "v1", kind: "Namespace" }), {
      metadata: { name: "records" },
    });
    const peering = unstructured({ apiVersion: "kopf.dev/v1", kind: "ClusterKopfPeering" });
    await eventually(() => cluster.client.create(peering, { metadata: { name: "sites" } }));
    await eventually(() => cluster.client.list(Site));
    void cluster.#count();
    return cluster;
  }

  /** Starts a program as a user. */
  program(user: User, command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const kubeconfig = join(this.#folder, user);
    writeFileSync(kubeconfig, this.#env.kubeconfig(user));
    const program = new Program(command, args, { ...process.env, KUBECONFIG: kubeconfig, ...env });
    this.#programs.push(program);
    return program;
  }

  /** Starts the port of a program. */
  port(former: "controller-runtime" | "kopf"): Program {
    const flags = ["--leader-elect", "--leader-election-namespace=default", "--metrics-bind-address=0"];
    const node = ["--conditions=@kubewright/source", file("run-port.ts"), ...flags, "--health-probe-bind-address=0"];
    return this.program("port", process.execPath, node, { FORMER_PROGRAM: former });
  }

  async createSite(name: string): Promise<void> {
    await this.client.create(Site, { metadata: { name, namespace: "default" }, spec: { title: name } });
  }

  /** Changes the title of a Site every 100 ms, until {@link stopEdits}. */
  startEdits(name: string): void {
    this.#editor = new AbortController();
    const { signal } = this.#editor;
    this.#edits = (async () => {
      while (!signal.aborted) {
        const title = `${name} ${++this.#edited}`;
        await this.client.patch(Site, { namespace: "default", name }, { spec: { title } }, { fieldOwner: "user" });
        await sleep(100);
      }
    })();
  }

  async stopEdits(): Promise<void> {
    this.#editor.abort();
    await this.#edits;
  }

  /** Waits until the page and the record of a Site contain its title, and its status contains its generation. */
  async settled(name: string): Promise<void> {
    await eventually(async () => {
      const { spec, status, metadata } = await this.client.get(Site, `default/${name}`);
      const page = await this.client.get(ConfigMap, `default/${name}-page`);
      const record = await this.client.get(ConfigMap, `records/${name}`);
      expect(page.data).toMatchObject({ "index.html": `<h1>${spec.title}</h1>` });
      expect(record.data).toEqual({ title: spec.title });
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
  }

  /** Deletes a Site, and waits until its record was deleted and its finalizer removed. */
  async deleteSite(name: string): Promise<void> {
    await this.client.delete(Site, `default/${name}`);
    await eventually(() => expect(this.client.get(Site, `default/${name}`)).rejects.toSatisfy(isNotFound));
    await expect(this.client.get(ConfigMap, `records/${name}`)).rejects.toSatisfy(isNotFound);
  }

  /** Returns the field owners of the page and the record of a Site. */
  async owners(name: string): Promise<string[]> {
    const objects = [
      await this.client.get(ConfigMap, `default/${name}-page`),
      await this.client.get(ConfigMap, `records/${name}`),
    ];
    const entries = objects.flatMap(({ metadata }) => metadata.managedFields ?? []);
    return [...new Set(entries.map(({ operation, manager }) => `${operation} ${manager}`))].sort();
  }

  /** Returns the number of writes to a ConfigMap since the last call. */
  writes(key: string): number {
    const changes = this.#changes.get(key);
    const count = changes?.modified ?? 0;
    if (changes) changes.modified = 0;
    return count;
  }

  /** Returns the number of writes to all ConfigMaps during a time in milliseconds. */
  async writesDuring(ms: number): Promise<number> {
    const sum = (): number => [...this.#changes.values()].reduce((all, { modified }) => all + modified, 0);
    const before = sum();
    await sleep(ms);
    return sum() - before;
  }

  /** Keys of the ConfigMaps that were deleted. */
  get deleted(): string[] {
    return [...this.#changes].filter(([, { deleted }]) => deleted > 0).map(([key]) => key);
  }

  /** Identity of all objects that must survive: the ConfigMaps of a Site, and the CRD with its generation. */
  async identity(name: string): Promise<(string | number | undefined)[]> {
    const [page, record] = [`default/${name}-page`, `records/${name}`];
    const crd = await this.client.get(CustomResourceDefinition, "sites.shop.example.com");
    return [
      (await this.client.get(ConfigMap, page)).metadata.uid,
      (await this.client.get(ConfigMap, record)).metadata.uid,
      crd.metadata.uid,
      crd.metadata.generation,
    ];
  }

  /** Pairs of reconciles of the same Site by different programs at the same time. */
  get overlaps(): [Interval, Interval][] {
    const all = this.#programs.flatMap((program, index) => program.intervals.map((one) => ({ index, one })));
    return all.flatMap(({ index, one }, i) =>
      all
        .slice(i + 1)
        .filter((other) => other.index !== index && other.one.name === one.name)
        .filter(({ one: other }) => other.begin < one.end && one.begin < other.end)
        .map(({ one: other }): [Interval, Interval] => [one, other]),
    );
  }

  async #count(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { metadata } = await this.client.list(ConfigMap);
      const options = { resourceVersion: metadata.resourceVersion, signal };
      for await (const { type, object } of this.client.watch(ConfigMap, options)) {
        if (type === "BOOKMARK") continue;
        const key = `${object.metadata.namespace}/${object.metadata.name}`;
        const changes = this.#changes.get(key) ?? { modified: 0, deleted: 0 };
        this.#changes.set(key, changes);
        if (type === "MODIFIED") changes.modified++;
        if (type === "DELETED") changes.deleted++;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopEdits();
    await Promise.all(this.#programs.map((program) => program.stop()));
    this.#stop.abort();
    await this.client.close();
    await this.#env.stop();
    rmSync(this.#folder, { recursive: true });
  }
}
