import { type Kind, type KubeObject, keyOf } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger, silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { InformerCache, type InformerCacheOptions } from "./informer-cache.ts";
import type { KeptNamespaces } from "./kept-part.ts";

const Pods: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const Nodes: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };

const pod = (key: string): KubeObject => {
  const [namespace = "", name = ""] = key.split("/");
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace } };
};
const only = (...namespaces: string[]): KeptNamespaces => ({
  has: (namespace) => namespaces.includes(namespace),
  extent: namespaces.length === 0 ? "none" : "some",
  shardSelector: namespaces.join(),
});

/** A running cache that keeps the Pods of some namespaces, and the keys of the events of its informer. */
async function running(kept: KeptNamespaces, options: Partial<InformerCacheOptions> = {}, streams = false) {
  const clock = new FakeClock();
  const client = new FakeListWatchClient({ supportsWatchList: streams });
  const pods = client.source(Pods);
  for (const key of ["a/1", "a/2", "b/1", "c/1"]) pods.add(pod(key));
  const cache = new InformerCache({ client, clock, useWatchList: streams, logger: silentLogger, ...options });
  cache.keepOnly(kept);
  const events: string[] = [];
  const registration = cache.getInformer(Pods, { isPartial: true }).addHandler({
    added: (object) => void events.push(`added ${keyOf(object)}`),
    updated: (_, object) => void events.push(`updated ${keyOf(object)}`),
    deleted: (object) => void events.push(`deleted ${keyOf(object)}`),
  });
  const stop = new AbortController();
  const ended = cache.run(stop.signal);
  await clock.advance(0);
  const end = async () => {
    stop.abort();
    await ended;
  };
  const keep = async (namespaces: KeptNamespaces) => {
    cache.keepOnly(namespaces);
    await clock.advance(100);
  };
  const objects = () => cache.inspect().map((kind) => kind.objects);
  const taken = () => events.splice(0).sort();
  return { clock, client, pods, cache, registration, keep, end, objects, taken };
}

it.each([false, true])(
  "keeps only objects of the kept namespaces, even if the server ignores the selector (streams: %s)",
  async (streams) => {
    const { clock, pods, cache, keep, end, objects, taken } = await running(only("a"), {}, streams);
    const requests = () => (streams ? pods.watches : pods.lists).map(({ shardSelector }) => shardSelector);
    expect([requests(), taken(), objects()]).toEqual([["a"], ["added a/1", "added a/2"], [2]]);
    expect(pods.watches.at(-1)?.shardSelector).toBe("a");
    pods.add(pod("a/3"));
    pods.add(pod("b/2"));
    pods.delete(pod("c/1"));
    await clock.advance(0);
    expect([taken(), objects()]).toEqual([["added a/3"], [3]]);

    await keep(only("b", "c"));
    expect(requests()).toEqual(["a", "b,c"]);
    expect(taken()).toEqual(["added b/1", "added b/2", "deleted a/1", "deleted a/2", "deleted a/3"]);
    expect((await cache.list(Pods, { namespace: "b" })).map(keyOf).sort()).toEqual(["b/1", "b/2"]);
    await end();
  },
);

it("requests nothing while no namespace is kept, and counts as synced and current", async () => {
  const { clock, pods, cache, registration, keep, end, objects, taken } = await running(only());
  expect([registration.hasSynced, await cache.waitForSync(), pods.lists.length]).toEqual([true, true, 0]);
  await clock.advance(600_000);
  expect(() => cache.readinessCheck()()).not.toThrow();
  await keep(only("a"));
  expect([taken(), objects()]).toEqual([["added a/1", "added a/2"], [2]]);
  await keep(only());
  pods.add(pod("a/3"));
  await clock.advance(0);
  expect([taken(), objects(), pods.openWatches, pods.lists.length]).toEqual([
    ["deleted a/1", "deleted a/2"],
    [0],
    0,
    1,
  ]);
  await end();
});

it("collects several changes in a row, and keeps unchanged objects without events", async () => {
  const { clock, pods, cache, end, taken } = await running(only("a"));
  taken();
  cache.keepOnly(only("a", "b"));
  await clock.advance(60);
  cache.keepOnly(only("a", "b", "c"));
  await clock.advance(40);
  expect(pods.lists.map(({ shardSelector }) => shardSelector)).toEqual(["a", "a,b,c"]);
  expect(taken()).toEqual(["added b/1", "added c/1"]);
  await end();
});

it("lets a read of an added namespace wait for its objects, without waiting for others", async () => {
  const { clock, pods, cache, end } = await running(only("a"));
  cache.keepOnly(only("a", "b"));
  let found: string | undefined;
  const read = cache.get(Pods, "b/1").then((object) => {
    found = keyOf(object);
  });
  expect(keyOf(await cache.get(Pods, "a/1"))).toBe("a/1");
  await clock.advance(99);
  expect([found, cache.inspectObject(Pods, "b/1").state]).toEqual([undefined, "unsynced"]);
  await clock.advance(1);
  await read;
  expect([found, cache.inspectObject(Pods, "b/1").state, pods.lists.length]).toEqual(["b/1", "present", 2]);
  await end();
});

it("ends the wait for an added namespace when the cache stops, and leaves no timer behind", async () => {
  const { clock, cache, end } = await running(only("a"));
  cache.keepOnly(only("a", "b"));
  const read = cache.get(Pods, "b/1");
  const refused = expect(read).rejects.toThrow("the cache is stopping");
  await end();
  await refused;
  cache.keepOnly(only());
  expect(clock.waiting).toBe(0);
});

it.each([
  ["a list of all namespaces", async (cache: InformerCache) => (await cache.list(Pods)).length === 4],
  [
    "a list of another namespace",
    async (cache: InformerCache) => (await cache.list(Pods, { namespace: "b" })).length === 1,
  ],
  ["a read of another namespace", async (cache: InformerCache) => keyOf(await cache.get(Pods, "c/1")) === "c/1"],
  [
    "an informer for all objects",
    async (cache: InformerCache) => {
      const keys: string[] = [];
      const whole = cache.getInformer(Pods).addHandler({ added: (object) => void keys.push(keyOf(object)) });
      return !whole.hasSynced && (await whole.synced()) && keys.sort().join() === "a/1,a/2,b/1,c/1";
    },
  ],
])("never returns a part: %s makes the cache keep the whole kind", async (_, isComplete) => {
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
  const { clock, pods, cache, keep, end, objects } = await running(only("a"), { logger });
  expect(await isComplete(cache)).toBe(true);
  expect(lines.filter((line) => line.includes("cached whole from now on"))).toHaveLength(1);
  await keep(only("b"));
  await clock.advance(0);
  expect([objects(), pods.lists.map(({ shardSelector }) => shardSelector)]).toEqual([[4], ["a", undefined]]);
  expect(await isComplete(cache).catch(() => true)).toBeDefined();
  await end();
});

it("refuses a key without a namespace, and then still keeps only a part", async () => {
  const { cache, end, objects } = await running(only("a"));
  await expect(cache.get(Pods, "1")).rejects.toThrow("get Pod 1");
  expect(objects()).toEqual([2]);
  await end();
});

it("reads all namespaces from memory while all are kept, and keeps the whole kind if it is read so afterwards", async () => {
  const all: KeptNamespaces = { has: () => true, extent: "all" };
  const { pods, cache, keep, end, objects } = await running(all);
  expect((await cache.list(Pods)).length).toBe(4);
  expect(pods.lists.map(({ shardSelector }) => shardSelector)).toEqual([undefined]);
  await keep(only("b"));
  expect(objects()).toEqual([1]);
  expect((await cache.list(Pods)).length).toBe(4);
  await end();
});

it("limits neither cluster-scoped kinds, nor kinds that another informer requested, nor configured namespaces", async () => {
  const client = new FakeListWatchClient();
  client.source(Nodes).add({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  for (const key of ["a/1", "b/1"]) client.source(Pods).add(pod(key));
  const clock = new FakeClock();
  const make = (namespaces?: readonly string[]) => {
    const cache = new InformerCache({ client, clock, useWatchList: false, logger: silentLogger, namespaces });
    cache.keepOnly(only("b"));
    return cache;
  };
  const [whole, configured] = [make(), make(["a"])];
  whole.getInformer(Pods);
  for (const cache of [whole, configured])
    for (const kind of [Pods, Nodes]) cache.getInformer(kind, { isPartial: true });
  const stop = new AbortController();
  const runs = [whole, configured].map((cache) => cache.run(stop.signal));
  await clock.advance(0);
  expect([whole, configured].map((cache) => cache.inspect().map(({ objects }) => objects))).toEqual([
    [2, 1],
    [1, 1],
  ]);
  stop.abort();
  await Promise.all(runs);
});

it("expects writes to appear only in kept namespaces, and compares only those with the server", async () => {
  const { client, pods, cache, end } = await running(only("a"));
  const [inside, outside] = [pods.addUnseen(pod("a/9")), pods.addUnseen(pod("b/9"))];
  expect(await cache.caughtUp(Pods, outside)).toBe(true);
  expect(cache.expectations.ofWrite(Pods, inside).map(({ isMet }) => isMet)).toEqual([false]);
  expect(await cache.behind(client as never)).toEqual(["v1, Kind=Pod a/9"]);
  await end();
});
