import { keyOf } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ConfigMap, Lease, Namespace, Secret } from "@kubewright/client/kinds";
import { asReconciler, objectMatches } from "@kubewright/controller";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

const leaseNamespace = "default";
/** Shards move quickly, but are not lost on a busy machine. */
const times = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 100 };

let env: Environment;
let client: Client;
let tests = 0;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

/** Creates objects and replicas that copy ConfigMaps with a label into Secrets. */
async function program() {
  const id = `copies-${++tests}`;
  const objects = Array.from({ length: 24 }, (_, at) => `default/${id}-${at}`);
  for (const key of objects) {
    const [namespace = "", name = ""] = key.split("/");
    await client.create(ConfigMap, { metadata: { namespace, name, labels: { copied: id } }, data: { count: "0" } });
  }
  const log: { readonly replica: string; readonly key: string; readonly count: string | undefined }[] = [];
  const running = new Map<string, string>();
  const overlaps: string[] = [];

  const start = (replica: string, options: ManagerOptions = {}, sharded = true) => {
    const manager = new Manager({
      connection: env.connection(),
      metrics: { bindAddress: "0" },
      logger: silentLogger,
      sharding: { shards: 8, id, namespace: leaseNamespace, identity: replica, ...times },
      ...options,
    });
    controllerManagedBy(manager)
      .for(ConfigMap, { predicates: [objectMatches(({ metadata }) => metadata.labels?.copied === id)] })
      .owns(Secret)
      .named(`${id}-${replica}`)
      .withOptions({ sharded, maxConcurrentReconciles: 4 })
      .complete(
        asReconciler(ConfigMap, async (source, context) => {
          const key = keyOf(source);
          const other = running.get(key);
          if (other !== undefined) overlaps.push(`${key} in ${other} and ${replica}`);
          running.set(key, replica);
          try {
            log.push({ replica, key, count: source.data?.count });
            const { name, namespace = "" } = source.metadata;
            const ownerReferences = [
              { apiVersion: "v1", kind: "ConfigMap", name, uid: source.metadata.uid, controller: true },
            ];
            const stringData = { count: source.data?.count ?? "", by: replica };
            await context.client.apply(
              Secret,
              { metadata: { name, namespace, ownerReferences }, stringData },
              { fieldOwner: "copies", force: true },
            );
          } finally {
            running.delete(key);
          }
        }),
      );
    const stop = new AbortController();
    const run = manager.run(stop.signal);
    run.catch(() => {});
    stops.push(() => {
      stop.abort();
      return run.catch(() => {});
    });
    return { manager, stop, run };
  };

  /** Waits until all objects have been copied with this count. */
  const copied = (count: string) =>
    vi.waitFor(
      async () => {
        const secrets = await client.list(Secret, { namespace: "default" });
        const counts = new Map(secrets.map((secret) => [keyOf(secret), secret.data?.count]));
        expect(objects.filter((key) => counts.get(key) !== Buffer.from(count).toString("base64"))).toEqual([]);
      },
      { timeout: 60_000, interval: 20 },
    );
  const count = (to: string) =>
    Promise.all(objects.map((key) => client.patch(ConfigMap, key, { data: { count: to } })));
  return { id, objects, log, overlaps, start, copied, count };
}

const held = (...managers: readonly Manager[]) => managers.map(({ shards }) => shards?.held.length);
const heldBy = (wanted: readonly number[], ...managers: readonly Manager[]) =>
  vi.waitFor(() => expect(held(...managers)).toEqual(wanted), { timeout: 60_000, interval: 10 });

it("works in a single replica like a controller without shards", async () => {
  const { start, copied, count, log, objects } = await program();
  const { manager } = start("a", { health: { bindAddress: "127.0.0.1:0" } });
  await copied("0");
  await count("1");
  await copied("1");
  expect(held(manager)).toEqual([8]);
  expect(new Set(log.map(({ key }) => key))).toEqual(new Set(objects));
  const ready = await fetch(`http://127.0.0.1:${manager.healthPort}/readyz?verbose`);
  expect(await ready.text()).toContain("[+]shards ok: holds 8 of 8 shards; replicas: 1\n");
  expect(await manager.metrics.metrics()).toContain("kubewright_shards_held 8\n");
});

it("divides the objects among replicas, moves them when one stops, and never reconciles one object in two replicas", async () => {
  const { id, start, copied, count, log, overlaps, objects } = await program();
  const a = start("a");
  await copied("0");
  const b = start("b");
  await heldBy([4, 4], a.manager, b.manager);
  log.length = 0;
  await count("1");
  await copied("1");
  const workers = new Map(
    objects.map((key) => [
      key,
      new Set(log.filter((one) => one.key === key && one.count === "1").map(({ replica }) => replica)),
    ]),
  );
  expect([...workers.values()].every((replicas) => replicas.size === 1)).toBe(true);
  expect(new Set([...workers.values()].flatMap((replicas) => [...replicas]))).toEqual(new Set(["a", "b"]));

  log.length = 0;
  a.stop.abort();
  await a.run;
  await count("2");
  await copied("2");
  await heldBy([8], b.manager);
  expect(overlaps).toEqual([]);
  const leases = await client.list(Lease, { namespace: leaseNamespace, labels: { "kubewright.dev/sharding": id } });
  expect(leases.map(({ metadata }) => metadata.name.replace(/-[0-9a-f]{16}$/, "")).sort()).toEqual(
    [`${id}-replica`, ...Array.from({ length: 8 }, (_, shard) => `${id}-shard-${shard}`)].sort(),
  );
});

it("repairs an owned object that was deleted while no replica held its shard", async () => {
  const { start, copied, objects } = await program();
  const a = start("a");
  await copied("0");
  a.stop.abort();
  await a.run;
  for (const key of objects) await client.delete(Secret, key);
  start("b");
  await copied("0");
});

it("keeps the writes of the leader's runnables and of sharded controllers apart", async () => {
  const { id, start, copied } = await program();
  const leaderElection = { id: `${id}-leader`, namespace: leaseNamespace, ...times };
  const a = start("a", { leaderElection });
  await vi.waitFor(() => expect(a.manager.leadership.leads).toBe(true), { timeout: 60_000 });
  const b = start("b", { leaderElection });
  await heldBy([4, 4], a.manager, b.manager);
  await copied("0");
  expect(b.manager.leadership.leads).toBe(false);
  const write = b.manager.client.create(Namespace, { metadata: { name: `${id}-refused` } });
  await expect(write).rejects.toMatchObject({ code: "ERR_NOT_LEADING" });
});

it("runs a sharded controller on the leader if the manager has no shards", async () => {
  const { start, copied } = await program();
  const { manager } = start("a", { sharding: undefined });
  await copied("0");
  expect([manager.shards, manager.inspect()[1]?.group]).toEqual([undefined, "leaderElection"]);
});

it("ends a replica with another number of shards", async () => {
  const { id, start, copied } = await program();
  start("a");
  await copied("0");
  const b = start("b", { sharding: { shards: 9, id, namespace: leaseNamespace, ...times } });
  await expect(b.run).rejects.toThrow(`Lease default/${id}-shards records "8 by key"`);
});

it("refuses a sharded controller without a main kind", () => {
  const manager = new Manager({ connection: env.connection(), sharding: { shards: 2, id: "x" }, logger: silentLogger });
  const builder = controllerManagedBy(manager)
    .watches(ConfigMap, () => {})
    .named("odd");
  expect(() => builder.withOptions({ sharded: true }).complete(async () => {})).toThrow(
    "controller odd is sharded, so it must use for(...)",
  );
});
