import { mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type DeepReadonly, keyOf, unstructured } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { ClusterRoleBinding, Deployment, Namespace, Pod, Secret } from "@kubewright/client/kinds";
import { SeededRandom } from "@kubewright/clock/testing";
import { type ImageRunner, startControllers } from "@kubewright/controller-manager";
import { Environment, type EnvironmentOptions } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { InformerCache } from "kubewright";
import { cnfDeployment } from "../harness/cnf-deployment.ts";
import { SimulatedCnfs } from "../harness/simulated-cnfs.ts";
import { differences, leaseNames } from "./checks.ts";
import { deletion, Effects, type PhaseLatency, Phases } from "./latencies.ts";
import { Program } from "./programs.ts";
import { jobImage, operatorTemplates, type WrittenObject } from "./templates.ts";
import { hasVisibleEffect, nameOf, type Site, Writer } from "./writer.ts";

export interface LongRunOptions {
  /** Duration of the writes in minutes. */
  readonly minutes: number;
  readonly seed: number;
  /** Folders with the programs to begin with, and with the kube-apiserver to upgrade to. Default: the embedded server, without an upgrade. */
  readonly assets?: { readonly from: string; readonly to: string } | undefined;
  /** Number of the operator's resources. Default 500. */
  readonly resources?: number | undefined;
  /** Default 20. */
  readonly writesPerSecond?: number | undefined;
  /** Maximum time between restarts of the API server, in minutes. Default 5, or a third of the duration. */
  readonly restartEvery?: number | undefined;
  /** Folder for the logs of the programs. Default: no logs. */
  readonly logs?: string | undefined;
  /** Maximum time until everything is in force after the last write, in milliseconds. Default 180,000. */
  readonly settleMs?: number | undefined;
  /** Called after the results were compared, for tests of the comparison. */
  readonly inspect?:
    | ((run: { readonly writer: Writer; differences(): Promise<string[]> }) => Promise<void>)
    | undefined;
  readonly onLine: (text: string) => void;
}

interface MemoryUse {
  readonly name: string;
  readonly rss: number;
  readonly heap: number;
}

export interface LongRunReport {
  readonly servers: readonly string[];
  readonly restarts: number;
  readonly kills: number;
  /** Number of replicas that ended by themselves, such as leaders that could not renew their Lease. */
  readonly endedByItself: number;
  readonly rotations: Readonly<Record<string, number>>;
  readonly writes: Writer["counts"];
  readonly errors: ReadonlyMap<string, number>;
  /** Requests by verb, and conflicts, from the server's metrics. */
  readonly requests: ReadonlyMap<string, number>;
  readonly conflicts: number;
  /** Requests of each program by method and status code, from its metrics. */
  readonly programRequests: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly memory: readonly { readonly start: MemoryUse; readonly end: MemoryUse }[];
  readonly watches: ReadonlyMap<string, readonly [start: number, end: number]>;
  readonly latencies: readonly PhaseLatency[];
  /** Time from the last write until everything was in force. */
  readonly settledMs: number;
  /** Everything that was lost, leaked or written without validation. */
  readonly problems: readonly string[];
}

const definitions = fileURLToPath(new URL("../../../apps/sdewan-operator/config/crd/bases", import.meta.url));
const conversion = new URL("../../../examples/08-cronjob/webhooks/cron-job-conversion.ts", import.meta.url).href;
const system = "long-run";
const cnfCount = 10;
/** The time after an event that counts as its phase, in milliseconds. */
const afterRestartMs = 15_000;
const afterKillMs = 20_000;
const minuteMs = 60_000;
/** Interval between two lines while the run waits. */
const reportEveryMs = 30_000;

/**
 * Lifetimes that make a run of a few minutes rotate the certificate authorities. The real server needs some seconds to restart, during which
 * replicas must not consider their certificates outdated.
 */
const certificateTimes = (isReal: boolean) =>
  !isReal
    ? {
        ...{ caLifetimeMs: 30_000, lifetimeMs: 18_000, renewAfterMs: 8_000, intervalMs: 500 },
        ...{ switchAfterMs: 3_000, retireAfterMs: 6_000, staleAfterMs: 4_000 },
      }
    : {
        ...{ caLifetimeMs: 240_000, lifetimeMs: 120_000, renewAfterMs: 60_000, intervalMs: 2_000 },
        ...{ switchAfterMs: 20_000, retireAfterMs: 40_000, staleAfterMs: 30_000 },
      };

/** Runs the programs and clients against an API server that is restarted and upgraded, and compares the results. */
export async function longRun(options: LongRunOptions): Promise<LongRunReport> {
  await using run = new LongRun(options);
  await run.start();
  return await run.run();
}

class LongRun implements AsyncDisposable {
  readonly #options: LongRunOptions;
  readonly #assets = mkdtempSync(join(tmpdir(), "kubewright-long-run-"));
  readonly #phases = new Phases();
  readonly #effects = new Effects(this.#phases);
  readonly #random: SeededRandom;
  readonly #cnfs = new SimulatedCnfs();
  readonly #programs: Program[] = [];
  readonly #sites: Site[];
  readonly #requests = new Map<string, number>();
  readonly #rotations: Record<string, number> = {};
  readonly #servers: string[] = [];
  readonly #stop = new AbortController();
  readonly #end: (() => unknown)[] = [];
  #conflicts = 0;
  #isServerDown = false;
  #restarts = 0;
  #kills = 0;
  #started: Parts | undefined;

  constructor(options: LongRunOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#sites = Array.from({ length: cnfCount }, (_, i) => ({ namespace: `long-run-${i}`, purpose: `site-${i}` }));
  }

  async start(): Promise<void> {
    const { assets, resources = 500, writesPerSecond: perSecond = 20, onLine } = this.#options;
    if (assets) for (const name of ["etcd", "kube-apiserver"]) this.#link(assets.from, name);
    const { CronJobVersions }: { readonly CronJobVersions: NonNullable<EnvironmentOptions["crds"]>[number] } =
      await import(conversion);
    const env = await Environment.start({
      ...{ crds: [definitions, CronJobVersions], errorIfCrdPathMissing: true, assets: assets ? this.#assets : "" },
      users: ["operator", "cronjob", "writer"].map((name) => ({ name })),
    });
    this.#end.push(() => env.stop());
    const admin = new Connection(env.connection());
    const client = new Client({ connection: admin, fieldOwner: "long-run" });
    const writing = new Client({ connection: env.connection("writer"), fieldOwner: "writer" });
    this.#end.push(() => Promise.all([writing.close(), client.close(), admin.close()]));
    await this.#grant(client);
    const controllers = await startControllers({
      connection: env.connection(),
      images: { ...this.#cnfs.images, [jobImage]: endAtOnce },
    });
    this.#end.push(() => controllers.stop());
    await this.#noteVersion(client);
    await this.#createCnfs(client);
    onLine(`${this.#servers[0]}: ${cnfCount} CNFs are available`);

    const writer = new Writer({
      ...{ client: writing, effects: this.#effects, random: this.#random, sites: this.#sites },
      ...{ cronJobs: system, resources, perSecond, isServerDown: () => this.#isServerDown },
    });
    this.#started = { env, admin, client, writer };
    for (const name of ["operator", "cronjob"] as const) await this.#startProgram(name);
    await this.#watchEffects(client);
    onLine("two replicas of each program serve their webhooks");
    await writer.fill();
    const filled = await this.#settled();
    if (filled.length > 0) throw new Error(`the first resources are not in force:\n${filled.slice(0, 20).join("\n")}`);
    onLine(`${writer.existing(false).length} resources and ${writer.existing(true).length} CronJobs are in force`);
  }

  async run(): Promise<LongRunReport> {
    const { minutes, onLine, inspect } = this.#options;
    const { client, writer } = this.#parts;
    const leases = await leaseNames(client);
    const watches = new Map<string, [number, number]>();
    await this.#measure();
    for (const program of this.#programs) watches.set(program.name, [watchesOf(program), 0]);
    const writes = new AbortController();
    const writing = writer.run(writes.signal);
    await this.#disturb(minutes * minuteMs).finally(() => writes.abort());
    await writing;
    const endedAt = performance.now();
    onLine(`the last write was made; ${writer.counts.acknowledged} were acknowledged`);
    const problems = await this.#settled();
    const settledMs = performance.now() - endedAt;
    await inspect?.({ writer, differences: () => this.#differences() });
    await this.#countRequests();

    const expected = await this.#agree(
      () => leaseNames(client),
      (names) => names.join() === leases.join(),
    );
    for (const name of expected.filter((each) => !leases.includes(each)))
      problems.push(`Lease ${name} was left behind`);
    for (const program of this.#programs) {
      const [before = 0] = watches.get(program.name) ?? [];
      const now = await this.#agree(
        async () => {
          await program.measure();
          return watchesOf(program);
        },
        (count) => count === before,
      );
      watches.set(program.name, [before, now]);
      if (now !== before)
        problems.push(`${program.name}: ${before} watches were open at the start, and ${now} at the end`);
      problems.push(...growthOf(program));
    }
    await Promise.all(this.#programs.map((program) => program.stop()));
    return {
      ...{ servers: this.#servers, restarts: this.#restarts, kills: this.#kills, rotations: this.#rotations },
      endedByItself: this.#programs.reduce((sum, program) => sum + program.endedByItself, 0),
      ...{ writes: writer.counts, errors: writer.errors, requests: this.#requests, conflicts: this.#conflicts },
      programRequests: new Map(this.#programs.map(({ name, requests }) => [name, requests])),
      memory: this.#programs.flatMap(memoryOf),
      ...{ watches, latencies: this.#phases.latencies(), settledMs },
      problems: [...writer.problems, ...problems],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#programs.map((program) => program.stop()));
    for (const end of this.#end.reverse()) await Promise.allSettled([end()]);
    rmSync(this.#assets, { recursive: true, force: true });
  }

  get #parts(): Parts {
    if (!this.#started) throw new Error("the run has not started");
    return this.#started;
  }

  #link(folder: string, name: string): void {
    if (readdirSync(this.#assets).includes(name)) unlinkSync(join(this.#assets, name));
    symlinkSync(join(folder, name), join(this.#assets, name));
  }

  async #grant(client: Client): Promise<void> {
    const [apiGroup, name] = ["rbac.authorization.k8s.io", "long-run"];
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
      subjects: ["operator", "cronjob", "writer"].map((user) => ({ apiGroup, kind: "User", name: user })),
    });
    await client.create(Namespace, { metadata: { name: system } });
  }

  async #createCnfs(client: Client): Promise<void> {
    for (const [i, { namespace, purpose }] of this.#sites.entries()) {
      await client.create(Namespace, { metadata: { name: namespace } });
      const stringData = { password: "long-run" };
      await client.create(Secret, { metadata: { name: "cnf-account", namespace }, type: "Opaque", stringData });
      await client.create(Deployment, cnfDeployment({ namespace, purpose, quirks: i % 2 === 1 }));
    }
    await until(async () => {
      for (const { namespace } of this.#sites) {
        const [pod] = await client.list(Pod, { namespace });
        if (!pod || !this.#cnfs.of(keyOf(pod)) || !pod.status?.conditions?.some(isReady)) return false;
      }
      return true;
    }, "every CNF is available");
  }

  /** Starts the replicas of a program, and connects the API server to their webhooks. */
  async #startProgram(name: "operator" | "cronjob"): Promise<void> {
    const { env, client } = this.#parts;
    let end: ((afterMs?: number) => void) | undefined;
    const onRotating = (isRotating: boolean): void => {
      if (!isRotating) {
        end?.();
        end = undefined;
      } else if (!end) {
        end = this.#phases.begin("certificate rotation");
        this.#rotations[name] = (this.#rotations[name] ?? 0) + 1;
      }
    };
    const program = await Program.start({
      ...{ name, connection: env.connection(name), namespace: system, logs: this.#options.logs },
      ...{ times: certificateTimes(env.bed === "real"), onRotating },
    });
    this.#programs.push(program);
    await until(() => program.replicas.every(({ isReady }) => isReady), `the webhooks of ${name} are served`);
    await until(() => program.leader >= 0, `${name} has a leader`);
    const objects = program.replicas.find(({ configurations }) => configurations)?.configurations ?? [];
    for (const object of objects) await client.apply(unstructured(object), object, { force: true });
    await sleep(2_000); // the API server reads changed configurations late
  }

  /** Watches the operator's resources, and registers which of their generations are in force. */
  async #watchEffects(client: Client): Promise<void> {
    const cache = new InformerCache({ client, logger: silentLogger });
    const running = cache.run(this.#stop.signal);
    this.#end.push(() => running);
    for (const template of operatorTemplates) {
      const note = ({ metadata, status }: DeepReadonly<WrittenObject>, isDeleted = false): void => {
        const key = nameOf({ template, namespace: metadata.namespace ?? "", name: metadata.name });
        if (isDeleted) this.#effects.applied(key, deletion);
        else if (hasVisibleEffect(template) && status?.state === "In Sync")
          this.#effects.applied(key, Number(status.appliedGeneration));
      };
      cache.getInformer<WrittenObject>(template.kind).addHandler({
        added: (object) => note(object),
        updated: (_, object) => note(object),
        deleted: (object) => note(object, true),
      });
    }
  }

  /** Restarts the server, kills replicas and measures, each at its time. */
  async #disturb(durationMs: number): Promise<void> {
    const periodMs = Math.min((this.#options.restartEvery ?? 5) * minuteMs, durationMs / 3);
    const restarts = Math.max(1, Math.round(durationMs / periodMs) - 1);
    const upgradeAt = Math.floor(restarts / 2);
    const events: { readonly atMs: number; readonly act: () => Promise<unknown> }[] = [];
    for (let i = 0; i <= restarts; i++) {
      const [operator, cronJob] = this.#programs;
      const isFirstHalf = i <= restarts / 2;
      if (operator) events.push({ atMs: (i + 0.4) * periodMs, act: () => this.#kill(operator, isFirstHalf) });
      if (cronJob) events.push({ atMs: (i + 0.7) * periodMs, act: () => this.#kill(cronJob, isFirstHalf) });
      if (i < restarts) events.push({ atMs: (i + 1) * periodMs, act: () => this.#restart(i === upgradeAt) });
    }
    const samples = Math.max(8, Math.floor(durationMs / minuteMs));
    for (let i = 1; i < samples; i++) events.push({ atMs: (i * durationMs) / samples, act: () => this.#measure() });
    const start = performance.now();
    for (const { atMs, act } of events.toSorted((a, b) => a.atMs - b.atMs)) {
      await sleep(Math.max(0, start + atMs - performance.now()));
      if (atMs < durationMs) await act();
    }
    await sleep(Math.max(0, start + durationMs - performance.now()));
  }

  async #restart(isUpgrade: boolean): Promise<void> {
    const { env, client } = this.#parts;
    const { assets, onLine } = this.#options;
    await this.#countRequests();
    const upgrades = isUpgrade && assets !== undefined;
    if (upgrades) this.#link(assets.to, "kube-apiserver");
    const ends = [this.#phases.begin(upgrades ? "upgrade" : "server down")];
    const start = performance.now();
    this.#isServerDown = true;
    await env.restart().finally(() => {
      this.#isServerDown = false;
    });
    if (!upgrades) ends.push(this.#phases.begin("just restarted"));
    ends[0]?.(upgrades ? afterRestartMs : 0);
    ends[1]?.(afterRestartMs);
    this.#restarts++;
    if (upgrades) await this.#noteVersion(client);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    onLine(
      upgrades
        ? `upgraded the server to ${this.#servers.at(-1)} in ${seconds} s`
        : `restarted the server in ${seconds} s`,
    );
  }

  /** Kills a replica: any of them, or only the second one, so that the memory of the first one is measured for a long time. */
  async #kill(program: Program, isAny: boolean): Promise<void> {
    const index = isAny ? this.#random.integer(2) : 1;
    const role = program.leader === index ? "leads" : "does not lead";
    const end = this.#phases.begin("after replica kill");
    const wasRunning = await program.kill(index);
    end(wasRunning ? afterKillMs : 0);
    if (!wasRunning) return;
    this.#kills++;
    this.#options.onLine(`killed the replica of ${program.name} that ${role}`);
  }

  #measure(): Promise<unknown> {
    return Promise.all(this.#programs.map((program) => program.measure()));
  }

  async #noteVersion(client: Client): Promise<void> {
    client.discovery.invalidate();
    const { gitVersion } = await client.discovery.serverVersion();
    this.#servers.push(this.#options.assets ? `kube-apiserver ${gitVersion}` : `embedded server ${gitVersion}`);
  }

  /** Adds the requests since the server's start. Called once before each end of the server. */
  async #countRequests(): Promise<void> {
    const { status, body } = await this.#parts.admin.request({ path: "/metrics" });
    if (status !== 200) return;
    for (const [, labels = "", value] of body.toString().matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
      const [, verb = ""] = /verb="([^"]*)"/.exec(labels) ?? [];
      this.#requests.set(verb, (this.#requests.get(verb) ?? 0) + Number(value));
      if (labels.includes('code="409"')) this.#conflicts += Number(value);
    }
  }

  #differences(): Promise<string[]> {
    const { client, writer } = this.#parts;
    return differences({ client, cnfs: this.#cnfs, sites: this.#sites, written: writer.all });
  }

  /** Waits until nothing differs, and returns the last differences. */
  async #settled(): Promise<string[]> {
    const end = performance.now() + (this.#options.settleMs ?? 180_000);
    let nextLine = performance.now() + reportEveryMs;
    for (;;) {
      const found = await this.#differences();
      if (found.length === 0 || performance.now() > end) return found;
      if (performance.now() > nextLine) {
        this.#options.onLine(`waiting for ${found.length} differences to end, such as: ${found[0]?.slice(0, 200)}`);
        nextLine += reportEveryMs;
      }
      await sleep(1_000);
    }
  }

  /** Repeats a measurement until it is as expected, for half a minute at most, and returns the last result. */
  async #agree<T>(measure: () => Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const value = await measure();
      if (isExpected(value) || attempt === 15) return value;
      await sleep(2_000);
    }
  }
}

interface Parts {
  readonly env: Environment;
  readonly admin: Connection;
  readonly client: Client;
  readonly writer: Writer;
}

/** A container that ends at once, successfully. */
const endAtOnce: ImageRunner = async () => ({ exited: Promise.resolve(0), stop: async () => {} });

const isReady = ({ type, status }: { readonly type: string; readonly status: string }): boolean =>
  type === "Ready" && status === "True";

const watchesOf = (program: Program): number =>
  program.samples.reduce((sum, samples) => sum + (samples.at(-1)?.watches ?? 0), 0);

/** Returns the memory of both replicas of a program at the start of the run and at its end. */
const memoryOf = (program: Program): { readonly start: MemoryUse; readonly end: MemoryUse }[] =>
  program.samples.flatMap((samples, index) => {
    const [start, end] = [program.first[index], samples.at(-1)];
    const name = `${program.name} ${index + 1}`;
    return start && end ? [{ start: { name, ...start }, end: { name, ...end } }] : [];
  });

/** Minimum number of samples of a process for a judgment of its memory. */
const minSamples = 8;
/** Growth of the heap that is not a leak: caches of names and metrics fill up. */
const toleratedBytes = 4e6;

/** Returns the replicas whose heap was larger in the second half of their lives than ever in the first half. */
function growthOf({ name, samples }: Program): string[] {
  return samples.flatMap((all, index) => {
    if (all.length < minSamples) return [];
    const heaps = all.map(({ heap }) => heap);
    const middle = Math.ceil(heaps.length / 2);
    const [early, late] = [Math.max(...heaps.slice(0, middle)), Math.min(...heaps.slice(middle))];
    const grown = late > early * 1.25 && late > early + toleratedBytes;
    const inMB = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    return grown ? [`${name} ${index + 1}: its heap grew from at most ${inMB(early)} to at least ${inMB(late)}`] : [];
  });
}

async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 2 * minuteMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not within two minutes: ${what}`);
    await sleep(100);
  }
}
