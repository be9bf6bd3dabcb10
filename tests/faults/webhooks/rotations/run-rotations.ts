import { isStatusError } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ConfigMap, Secret, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { Front } from "./front.ts";
import { ReplicaProcess } from "./replica-process.ts";

interface Report {
  readonly server: string;
  /** Longest observed time until a changed configuration takes effect. */
  readonly lagMs: number;
  readonly switchAfterMs: number;
  readonly rotations: number;
  readonly calls: number;
  /** The phases in which a replica was killed. */
  readonly killedIn: readonly string[];
  readonly failures: readonly string[];
  /** Results with replicas killed during calls, which API servers do not retry. */
  readonly cutOff: { readonly kills: number; readonly calls: number; readonly failures: readonly string[] };
}

const callsPerSecond = 20;
const replicaCount = 3;
/** Number of kills at the end, while calls are in progress. */
const kills = 6;
const [namespace, configuration] = ["default", "rotations"];
const secret = "default/rotations-cert";
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Calls webhooks through an API server twenty times a second while their certificate authority is rotated, then once more with a replica
 * killed in each phase.
 */
export async function runRotations(rotations: number): Promise<Report> {
  const env = await Environment.start();
  const client = new Client({ connection: env.connection() });
  let replicas: ReplicaProcess[] = [];
  const front = new Front(() => replicas);
  try {
    const lagMs = await longestLag(client);
    const switchAfterMs = Math.max(3_000, 4 * Math.ceil(lagMs));
    const times = {
      caLifetimeMs: 15_000 + 6 * switchAfterMs,
      lifetimeMs: 12_000 + 2 * switchAfterMs,
      renewAfterMs: 7_000 + switchAfterMs,
      switchAfterMs,
      retireAfterMs: 6_000,
      staleAfterMs: 4_000,
      intervalMs: 500,
    };
    const port = await front.listen();
    await client.create(Secret, { metadata: { namespace, name: "rotations-cert" } });
    await client.create(ValidatingWebhookConfiguration, hooks(configuration, `https://127.0.0.1:${port}/call`));
    const changes: string[] = [];
    const phase = (name: string): void =>
      void (changes.at(-1) !== name && follows(changes.at(-1), name) && changes.push(name));
    const order = { connection: env.connection(), secret, configuration, times };
    const start = (): ReplicaProcess => new ReplicaProcess(order, phase);
    replicas = Array.from({ length: replicaCount }, start);
    await until(() => replicas.every(({ takesCalls }) => takesCalls));
    await until(() =>
      call(client, "warm-up").then(
        () => true,
        () => false,
      ),
    );
    await sleep(switchAfterMs);

    const caller = new Caller(client);
    const running = caller.run();
    const retired = (): number => changes.filter((name, index) => name === "steady" && index > 0).length;
    await until(() => retired() >= rotations);
    const killedIn: string[] = [];
    const from = changes.length;
    while (killedIn.length < 4) {
      const known = changes.length - from;
      if (known > killedIn.length) {
        killedIn.push(changes[from + killedIn.length] ?? "");
        await replicas[killedIn.length % replicaCount]?.kill();
        replicas[killedIn.length % replicaCount] = start();
      }
      await sleep(20);
    }
    await until(() => replicas.every(({ takesCalls }) => takesCalls));
    await sleep(2_000);
    const { calls } = caller;
    const failures = [...caller.failures];
    for (let kill = 0; kill < kills; kill++) {
      await replicas[kill % replicaCount]?.cutOff();
      replicas[kill % replicaCount] = start();
      await until(() => replicas.every(({ takesCalls }) => takesCalls));
    }
    await sleep(1_000);
    caller.stop();
    await running;
    const cutOff = { kills, calls: caller.calls - calls, failures: caller.failures.slice(failures.length) };
    return { server: env.bed, lagMs, switchAfterMs, rotations: retired(), calls, killedIn, failures, cutOff };
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()));
    front.close();
    await client.close();
    await env.stop();
  }
}

const order = ["steady", "announced", "injected", "switched"];
/** Replicas report each phase at different times. */
const follows = (before: string | undefined, next: string): boolean =>
  before === undefined ? next === "steady" : order[(order.indexOf(before) + 1) % order.length] === next;

class Caller {
  calls = 0;
  readonly failures: string[] = [];
  readonly #client: Client;
  #isStopped = false;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Starts calls without waiting for the previous ones. */
  async run(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for (let due = performance.now(); !this.#isStopped; due += 1_000 / callsPerSecond) {
      await sleep(Math.max(0, due - performance.now()));
      const name = `call-${++this.calls}`;
      const one = call(this.#client, name)
        .catch(
          (error: unknown) =>
            void this.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`),
        )
        .finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await Promise.all(underWay);
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** A dry-run write for which the webhook is called. */
const call = async (client: Client, name: string): Promise<void> =>
  void (await client.create(
    ConfigMap,
    { metadata: { namespace, name, labels: { rotations: "yes" } } },
    { dryRun: true },
  ));

const hooks = (name: string, url: string, label = "rotations") => ({
  metadata: { name },
  webhooks: [
    {
      name: `${name}.kubewright.dev`,
      clientConfig: { url },
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 10,
      objectSelector: { matchLabels: { [label]: "yes" } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    },
  ],
});

/** Returns the longest delay until a new webhook is called, or a deleted one is no longer called. */
async function longestLag(client: Client): Promise<number> {
  let longest = 0;
  const isRefused = () =>
    client.create(ConfigMap, { metadata: { namespace, name: "lag", labels: { lag: "yes" } } }, { dryRun: true }).then(
      () => false,
      (error: unknown) => isStatusError(error),
    );
  for (let i = 0; i < 5; i++) {
    for (const isThere of [true, false]) {
      if (isThere) await client.create(ValidatingWebhookConfiguration, hooks("lag", "https://127.0.0.1:1/", "lag"));
      else await client.delete(ValidatingWebhookConfiguration, "lag");
      const changedAt = performance.now();
      await until(async () => (await isRefused()) === isThere, 2);
      longest = Math.max(longest, performance.now() - changedAt);
    }
  }
  return Math.round(longest);
}

async function until(look: () => boolean | Promise<boolean>, everyMs = 50): Promise<void> {
  const end = performance.now() + 180_000;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`not true within three minutes: ${look}`);
    await sleep(everyMs);
  }
}
