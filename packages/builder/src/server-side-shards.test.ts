import { ignoreNotFound, isNotFound, keyOf } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ConfigMap, Lease, Namespace, Secret } from "@kubewright/client/kinds";
import { objectMatches } from "@kubewright/controller";
import { ApiServer, type InProcessRequest } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { afterEach, describe, expect, it, vi } from "vitest";
import { controllerManagedBy } from "./controller-builder.ts";

/** Shards move quickly, but are not lost on a busy machine. */
const times = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 100 };
const shards = 4;
const patience = { timeout: 30_000, interval: 20 };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a server with a ConfigMap in each namespace, and returns functions for replicas that copy them into Secrets. */
async function program(gate: boolean, namespaces: number) {
  const server = await ApiServer.start({
    listen: false,
    featureGates: { ShardedListAndWatch: gate },
    disableAdmissionPlugins: ["ServiceAccount"],
  });
  ends.push(() => server.stop());
  const { server: url, handle } = server.connection();
  if (!handle) throw new Error("the server has no handle");
  const client = new Client({ connection: { server: url, handle } });
  ends.push(() => client.close());
  const keys = Array.from({ length: namespaces }, (_, at) => `team-${at}/settings`);
  const create = (key: string) => {
    const [namespace = "", name = ""] = key.split("/");
    return client.create(ConfigMap, { metadata: { namespace, name, labels: { copied: "" } }, data: { count: "0" } });
  };
  for (const key of keys) {
    await client.create(Namespace, { metadata: { name: key.split("/")[0] ?? "" } });
    await create(key);
  }
  const running = new Map<string, string>();
  const overlaps: string[] = [];
  const done: { readonly by: string; readonly key: string }[] = [];

  const start = (identity: string, reconciled?: (manager: Manager) => Promise<unknown>) => {
    /** Selectors of the requests for all ConfigMaps or all Secrets, as the server received them. */
    const selectors: { readonly resource: string; readonly selector: string | null }[] = [];
    const recording = (request: InProcessRequest) => {
      const { pathname, searchParams } = new URL(request.path, "http://server.invalid");
      const [, resource] = /^\/api\/v1\/(configmaps|secrets)$/.exec(pathname) ?? [];
      if (resource) selectors.push({ resource, selector: searchParams.get("shardSelector") });
      return handle(request);
    };
    const manager = new Manager({
      connection: { server: url, handle: recording },
      metrics: { bindAddress: "0" },
      logger: silentLogger,
      sharding: { shards, shardBy: "namespace", id: "copies", namespace: "default", identity, ...times },
    });
    controllerManagedBy(manager)
      .for(ConfigMap, { predicates: [objectMatches(({ metadata }) => metadata.labels?.copied === "")] })
      .owns(Secret)
      .withOptions({ sharded: true, maxConcurrentReconciles: 4 })
      .complete(async (key, { client: writer }) => {
        const other = running.get(key);
        if (other !== undefined) overlaps.push(`${key} in ${other} and ${identity}`);
        running.set(key, identity);
        try {
          await reconciled?.(manager);
          const source = await manager.client.get(ConfigMap, key).catch(ignoreNotFound);
          const secret = await manager.client.get(Secret, key).catch(ignoreNotFound);
          done.push({ by: identity, key });
          const [namespace = "", name = ""] = key.split("/");
          if (!source) return void (secret && (await writer.delete(Secret, key)));
          const { uid } = source.metadata;
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true }];
          const stringData = { count: source.data?.count ?? "" };
          const options = { fieldOwner: "copies", force: true };
          await writer.apply(Secret, { metadata: { name, namespace, ownerReferences }, stringData }, options);
        } finally {
          running.delete(key);
        }
      });
    const stop = new AbortController();
    const run = manager.run(stop.signal);
    run.catch(() => {});
    ends.push(() => {
      stop.abort();
      return run;
    });
    const cached = () =>
      [ConfigMap, Secret].map((kind) => manager.cache.inspectKeys(kind, { limit: 1, search: "team-" }).total);
    return { manager, selectors, stop, run, cached };
  };

  /** Waits until the Secrets are exactly the copies of the ConfigMaps, with this count. */
  const copied = (count: string, expected: readonly string[] = keys) =>
    vi.waitFor(async () => {
      const secrets = await client.list(Secret);
      const copies = secrets.filter(({ data }) => data?.count === Buffer.from(count).toString("base64"));
      expect([copies.map(keyOf).sort(), secrets.length]).toEqual([[...expected].sort(), expected.length]);
    }, patience);
  const count = (to: string) => Promise.all(keys.map((key) => client.patch(ConfigMap, key, { data: { count: to } })));
  return { client, keys, start, copied, count, create, overlaps, done };
}

type Replica = ReturnType<Awaited<ReturnType<typeof program>>["start"]>;

const heldBy = (wanted: readonly number[], ...replicas: readonly Replica[]) =>
  vi.waitFor(() => expect(replicas.map(({ manager }) => manager.shards?.held.length)).toEqual(wanted), patience);
const inShardsOf = ({ manager: { shards: own } }: Replica, keys: readonly string[]): string[] =>
  keys.filter((key) => own?.held.includes(own.shardOf(key)));

describe.each([true, false])("shards of namespaces, on a server that selects them: %s", (gate) => {
  it("are requested and kept only by their replica, and move without losing or repeating a change", async () => {
    const { client, keys, start, copied, count, create, overlaps, done } = await program(gate, 40);
    const a = start("a");
    await copied("0");
    await vi.waitFor(() => expect(a.cached()).toEqual([40, 40]), patience);
    await heldBy([shards], a);
    const lists = a.selectors.length;

    const [gone = "", alsoGone = ""] = [keys[3], keys[17]];
    const b = start("b");
    await client.delete(ConfigMap, gone);
    await heldBy([2, 2], a, b);
    await client.delete(ConfigMap, alsoGone);
    const left = keys.filter((key) => key !== gone && key !== alsoGone);
    await copied("0", left);
    for (const replica of [a, b]) {
      const own = inShardsOf(replica, left);
      await vi.waitFor(() => expect(replica.cached()).toEqual([own.length, own.length]), patience);
      for (const resource of ["configmaps", "secrets"]) {
        const { selector } = replica.selectors.findLast((request) => request.resource === resource) ?? {};
        const selected = await client.list(ConfigMap, { shardSelector: selector ?? "", labels: { copied: "" } });
        expect(selected.map(keyOf).sort()).toEqual((gate ? own : left).sort());
      }
    }
    // The boundaries divide the namespaces evenly, although their names differ only in a number. The server has a few others.
    expect(Math.abs(inShardsOf(a, keys).length - 20)).toBeLessThanOrEqual(3);
    expect(a.selectors.slice(lists).every(({ selector }) => selector !== null)).toBe(true);
    expect(b.selectors.every(({ selector }) => selector !== null)).toBe(true);

    for (const key of [gone, alsoGone]) await create(key);
    await copied("0");
    done.length = 0;
    await count("1");
    await copied("1");
    for (const [by, replica] of [
      ["a", a],
      ["b", b],
    ] as const)
      expect([...new Set(done.filter((one) => one.by === by).map(({ key }) => key))].sort()).toEqual(
        inShardsOf(replica, keys).sort(),
      );

    done.length = 0;
    a.stop.abort();
    await a.run;
    await count("2");
    await copied("2");
    await heldBy([shards], b);
    await vi.waitFor(() => expect(b.cached()).toEqual([40, 40]), patience);
    expect(overlaps).toEqual([]);
  });

  it("are kept whole if a reconciler lists all namespaces, and every list is complete", async () => {
    const { keys, start, copied, count, overlaps } = await program(gate, 40);
    const lengths = new Set<number>();
    const listing = async ({ client }: Manager) => {
      lengths.add((await client.list(ConfigMap, { labels: { copied: "" } })).length);
    };
    const [a, b] = [start("a", listing), start("b", listing)];
    await copied("0");
    await heldBy([2, 2], a, b);
    await count("1");
    await copied("1");
    expect([...lengths]).toEqual([keys.length]);
    for (const replica of [a, b]) {
      const own = inShardsOf(replica, keys).length;
      await vi.waitFor(() => expect(replica.cached()).toEqual([keys.length, own]), patience);
    }
    expect(overlaps).toEqual([]);
  });
});

it("divides few namespaces by a mixed hash, and keeps only those of its shards without a selector", async () => {
  const { client, keys, start, copied } = await program(true, 30);
  const [a, b] = [start("a"), start("b")];
  await copied("0");
  await heldBy([2, 2], a, b);
  const layout = await client.get(Lease, "default/copies-shards");
  expect(layout.metadata.annotations).toEqual({ "kubewright.dev/shards": "4 by namespace" });
  for (const replica of [a, b]) {
    const own = inShardsOf(replica, keys).length;
    await vi.waitFor(() => expect(replica.cached()).toEqual([own, own]), patience);
    expect(replica.selectors.every(({ selector }) => selector === null)).toBe(true);
  }
});

it("continues with the division that the Lease records", async () => {
  const { client, start, copied } = await program(true, 40);
  const annotations = { "kubewright.dev/shards": "4 by namespace" };
  await client.create(Lease, { metadata: { namespace: "default", name: "copies-shards", annotations }, spec: {} });
  const a = start("a");
  await copied("0");
  expect(a.selectors.every(({ selector }) => selector === null)).toBe(true);
});

it("ends if the recorded boundaries are damaged", async () => {
  const { client, start } = await program(true, 1);
  const annotations = { "kubewright.dev/shards": "4 by namespace in ranges", "kubewright.dev/shard-ranges": "1 2 3" };
  await client.create(Lease, { metadata: { namespace: "default", name: "copies-shards", annotations }, spec: {} });
  const { run } = start("a");
  ends.pop();
  await expect(run).rejects.toThrow(
    'annotation kubewright.dev/shard-ranges: "1 2 3" does not contain the boundaries of 4 shards',
  );
  expect(isNotFound(await client.get(Secret, "team-0/settings").catch((error: unknown) => error))).toBe(true);
});
