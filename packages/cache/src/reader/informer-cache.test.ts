import {
  type DeepReadonly,
  isNotFound,
  type Kind,
  type KubeObject,
  keyOf,
  mappingOf,
  mutableCopy,
  type ParsedLabelSelector,
  parseLabelSelector,
  type Stored,
} from "@kubewright/apimachinery";
import { type KubeList, kubeList, type ListOptions, type RawWatchEvent, type WatchOptions } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger, silentLogger } from "@kubewright/log";
import { expect, expectTypeOf, it } from "vitest";
import { SharedInformer } from "../informer/shared-informer.ts";
import { FakeListWatch } from "../testing/fake-list-watch.ts";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { byObject } from "./cache-options.ts";
import {
  CacheNotStartedError,
  CacheStoppingError,
  InformerCache,
  type InformerCacheOptions,
} from "./informer-cache.ts";

interface Pod extends KubeObject {
  spec: { nodeName: string };
}

const Pods: Kind<Pod> = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const Nodes: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };

const pod = (namespace: string, name: string, nodeName = "node-1", labels: Record<string, string> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, labels, managedFields: [{ manager: "kubectl" }, { manager: "ours" }] },
  spec: { nodeName },
});

function running(options: Partial<InformerCacheOptions> = {}) {
  const clock = new FakeClock();
  const client = new FakeListWatchClient();
  for (const [namespace, name, node] of [
    ["web", "b", "node-1"],
    ["web", "a", "node-2"],
    ["db", "a", "node-1"],
  ] as const)
    client.source(Pods).add(pod(namespace, name, node, { name }));
  client.source(Nodes).add({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } });
  const cache = new InformerCache({ client, clock, useWatchList: false, logger: silentLogger, ...options });
  const stop = new AbortController();
  const start = (): { end(): Promise<void> } => {
    const ended = cache.run(stop.signal);
    return {
      async end() {
        stop.abort();
        await ended;
      },
    };
  };
  return { cache, client, clock, start };
}

/** The sorted keys of a list, which has no particular order. */
const keysOf = (objects: readonly { readonly metadata: { readonly name: string; readonly namespace?: string } }[]) =>
  objects.map(keyOf).sort();

it("does not read before it runs, and then waits for the initial state", async () => {
  const { cache, client, start } = running();
  await expect(cache.get(Pods, "web/a")).rejects.toThrow(CacheNotStartedError);
  const { end } = start();
  expect((await cache.get(Pods, "web/a")).spec.nodeName).toBe("node-2");
  expect(client.source(Pods).lists).toHaveLength(1);
  await cache.get(Pods, { namespace: "db", name: "a" });
  expect(client.source(Pods).lists).toHaveLength(1);
  await expect(cache.get(Pods, "web/missing")).rejects.toSatisfy(isNotFound);
  await expect(cache.get(Pods, "web/missing")).rejects.toThrow('pods "missing" not found');
  await end();
});

it("refuses a key without a namespace as a client does, and other invalid keys", async () => {
  const { cache, start } = running();
  const { end } = start();
  for (const key of ["a", "/a", { name: "a" }, { namespace: "", name: "a" }])
    await expect(cache.get(Pods, key)).rejects.toThrow(
      "get Pod a: objects of this kind are namespaced; set the namespace",
    );
  for (const key of [
    "",
    "web/",
    { namespace: "web", name: "" },
    "web/..",
    { name: "web/a" },
    { namespace: "web", name: "%" },
  ])
    await expect(cache.get(Pods, key)).rejects.toThrow("get Pod: name: ");
  await expect(cache.get(Pods, { namespace: "..", name: "a" })).rejects.toThrow("get Pod: namespace: ");
  await expect(cache.list(Pods, { namespace: "web/a" })).rejects.toThrow("list Pod: namespace: ");
  await end();
});

it("finds a cluster-scoped object with any namespace in its key, as a client does", async () => {
  const { cache, start } = running();
  const { end } = start();
  for (const kind of [Nodes, { group: "", version: "v1", kind: "Node", plural: "nodes" }])
    for (const key of ["node-1", "web/node-1", { namespace: "web", name: "node-1" }])
      expect((await cache.get(kind, key)).metadata.name).toBe("node-1");
  await expect(cache.get(Nodes, "missing")).rejects.toSatisfy(isNotFound);
  await end();
});

it("lists by namespace, labels and indexed fields", async () => {
  const { cache, start } = running();
  cache.indexField(Pods, "spec.nodeName", (object) => [object.spec.nodeName]);
  const { end } = start();
  const all = await cache.list(Pods);
  expect(keysOf(all)).toEqual(["db/a", "web/a", "web/b"]);
  expect(all.metadata.resourceVersion).toBe("3");
  expect(keysOf(await cache.list(Pods, { namespace: "web" }))).toEqual(["web/a", "web/b"]);
  expect(keysOf(await cache.list(Pods, { labels: { name: "a" } }))).toEqual(["db/a", "web/a"]);
  expect(keysOf(await cache.list(Pods, { fields: { "spec.nodeName": "node-1" } }))).toEqual(["db/a", "web/b"]);
  expect(keysOf(await cache.list(Pods, { namespace: "web", fields: "spec.nodeName=node-1" }))).toEqual(["web/b"]);
  expect(keysOf(await cache.list(Pods, { fields: { "spec.nodeName": "node-1", "metadata.name": "a" } }))).toEqual([
    "db/a",
  ]);
  expect(keysOf(await cache.list(Pods, { fields: { "metadata.namespace": "db" } }))).toEqual(["db/a"]);
  expect(keysOf(await cache.list(Pods, { fields: "spec.nodeName=node-2,metadata.namespace=db" }))).toEqual([]);
  expect(keysOf(await cache.list(Pods, { namespace: "web", fields: "metadata.name=a" }))).toEqual(["web/a"]);
  expect(keysOf(await cache.list(Pods, { namespace: "", fields: "spec.nodeName=node-2" }))).toEqual(["web/a"]);
  await expect(cache.list(Pods, { fields: { "status.phase": "Running" } })).rejects.toThrow(
    'Index with name field:status.phase does not exist: the cache does not index v1, Kind=Pod by status.phase. Add it where the controller is built: .for(Pod, { indexes: { "status.phase": (o) => [...] } })',
  );
  await expect(cache.list(Pods, { fields: { "spec.nodeName": "node-1", "spec.x": "y" } })).rejects.toThrow(
    'elsewhere with manager.cache.indexField(Pod, "spec.x", (o) => [...])',
  );
  await expect(cache.list(Pods, { fields: "spec.nodeName!=node-1" })).rejects.toThrow("only exact field selectors");
  await end();
});

it("marks a list that its limit truncates, and refuses to continue it", async () => {
  const { cache, client, start } = running();
  cache.indexField(Pods, "spec.nodeName", (object) => [object.spec.nodeName]);
  client.source(Pods).add(pod("db", "b", "node-1", { name: "b" }));
  const { end } = start();
  const listed = async (options: ListOptions): Promise<[count: number, token: string | undefined]> => {
    const list = await cache.list(Pods, options);
    return [list.length, list.metadata.continue];
  };
  const marker = "continue-not-supported";
  expect(await listed({ limit: 3 })).toEqual([3, marker]);
  expect(await listed({ limit: 4 })).toEqual([4, undefined]);
  expect(await listed({ limit: 1, namespace: "web" })).toEqual([1, marker]);
  expect(await listed({ limit: 2, namespace: "web" })).toEqual([2, undefined]);
  expect(await listed({ limit: 1, labels: { name: "a" } })).toEqual([1, marker]);
  expect(await listed({ limit: 2, labels: { name: "a" } })).toEqual([2, undefined]);
  expect(await listed({ limit: 2, fields: { "spec.nodeName": "node-1" } })).toEqual([2, marker]);
  expect(await listed({ limit: 3, fields: { "spec.nodeName": "node-1" } })).toEqual([3, undefined]);
  for (const limit of [undefined, 0, -1]) expect(await listed({ limit })).toEqual([4, undefined]);
  for (const token of [marker, "x".repeat(1_000)]) {
    const refused = await cache.list(Pods, { limit: 3, continue: token }).catch((error: Error) => error.message);
    expect(refused).toMatch(/^continue: "(continue-not-supported|x{50}…)": .* not supported by the cache/);
  }
  await end();
});

it("examines only as many objects as a limit requires", async () => {
  const { cache, client, start } = running();
  cache.indexField(Pods, "spec.nodeName", (object) => [object.spec.nodeName]);
  for (let i = 0; i < 10; i++) client.source(Pods).add(pod("web", `more-${i}`));
  const { end } = start();
  let seen = 0;
  const labels: ParsedLabelSelector = Object.create(parseLabelSelector("any"), {
    matches: { value: () => ++seen > 0 },
  });
  for (const options of [{}, { namespace: "web" }, { fields: "spec.nodeName=node-1,metadata.namespace=web" }]) {
    seen = 0;
    expect(await cache.list(Pods, { ...options, labels, limit: 2 })).toHaveLength(2);
    expect(seen).toBe(3); // the third shows that the list is truncated
  }
  await end();
});

it("marks a list of several namespaces that its limit truncates", async () => {
  const { cache, start } = running({ namespaces: ["web", "db"] });
  const { end } = start();
  const cut = await cache.list(Pods, { limit: 2 });
  expect([cut.length, cut.metadata]).toEqual([2, { continue: "continue-not-supported" }]);
  expect((await cache.list(Pods, { limit: 3 })).metadata).toEqual({});
  await end();
});

it("accepts an index for a kind that is already cached, and refuses two for one field", async () => {
  const { cache, start } = running();
  const { end } = start();
  await cache.list(Pods);
  cache.indexField(Pods, "spec.nodeName", (object) => [object.spec.nodeName]);
  expect(await cache.list(Pods, { fields: { "spec.nodeName": "node-2" } })).toHaveLength(1);
  expect(() => cache.indexField(Pods, "spec.nodeName", () => [])).toThrow("indexer conflict");
  await end();
});

it("returns the fields that a server sets to readers, listers, indexes and handlers alike", async () => {
  const { cache, start } = running();
  cache.indexField(Pods, "metadata.uid", ({ metadata }) => {
    expectTypeOf(metadata.uid).toEqualTypeOf<string>();
    return [metadata.uid];
  });
  const { end } = start();
  const read: DeepReadonly<Pod> = await cache.get(Pods, "web/a");
  expectTypeOf(cache.get<Pod>).returns.resolves.toEqualTypeOf<Stored<DeepReadonly<Pod>>>();
  expectTypeOf(cache.list<Pod>).returns.resolves.items.toEqualTypeOf<Stored<DeepReadonly<Pod>>>();
  const seen: (string | undefined)[] = [];
  const { lister, indexer } = new SharedInformer<Pod>(new FakeListWatch<Pod>());
  expectTypeOf(lister.get).returns.toEqualTypeOf<Stored<DeepReadonly<Pod>>>();
  expectTypeOf(indexer.list).returns.items.toEqualTypeOf<Stored<DeepReadonly<Pod>>>();
  cache.getInformer(Pods).addHandler({
    added({ metadata }) {
      expectTypeOf(metadata.uid).toEqualTypeOf<string>();
      seen.push(metadata.name);
    },
  });
  expect(read.metadata.name).toBe("a");
  await end();
  expect(seen.sort()).toEqual(["a", "a", "b"]);
});

it("returns frozen objects without other managers' fields", async () => {
  const { cache, start } = running({ managedFields: { of: "ours" } });
  const { end } = start();
  const cached = await cache.get(Pods, "web/a");
  expect(cached.metadata.managedFields).toEqual([{ manager: "ours" }]);
  expect(() => Object.assign(cached.spec, { nodeName: "changed" })).toThrow(TypeError);
  const copy = mutableCopy(cached);
  copy.spec.nodeName = "changed";
  expect((await cache.get(Pods, "web/a")).spec.nodeName).toBe("node-2");
  await end();
});

it("keeps all managed fields, and freezes nothing, if configured", async () => {
  const { cache, start } = running({ managedFields: "all", freeze: false });
  const { end } = start();
  const cached = await cache.get(Pods, "web/a");
  expect(cached.metadata.managedFields).toHaveLength(2);
  expect(Object.isFrozen(cached)).toBe(false);
  await end();
});

it("keeps only the configured namespaces, with one informer for each, and cluster-scoped kinds as a whole", async () => {
  const { cache, client, start } = running({ namespaces: ["web", "db"] });
  cache.configure(Pods, { namespaces: ["web", "empty"] });
  const received: string[] = [];
  const registration = cache.getInformer(Pods).addHandler({ added: (object) => void received.push(keyOf(object)) });
  const { end } = start();
  expect(await cache.waitForSync()).toBe(true);
  expect(await registration.synced()).toBe(true);
  expect(received).toEqual(["web/b", "web/a"]);
  expect(keysOf(await cache.list(Pods))).toEqual(["web/a", "web/b"]);
  await expect(cache.list(Pods, { namespace: "db" })).rejects.toThrow('only from "web", "empty"');
  expect(await cache.list(Pods, { namespace: "empty" })).toEqual([]);
  expect(client.source(Pods).watches).toHaveLength(2);
  expect(keysOf(await cache.list(Nodes))).toEqual(["node-1"]);
  expect((await cache.get(Nodes, "node-1")).metadata.name).toBe("node-1");
  expect(() => cache.configure(Pods, {})).toThrow("configure it before it is first used");
  await end();
});

/** Namespaces that cannot be listed until they are removed from `refused`. */
class RefusingClient extends FakeListWatchClient {
  readonly refused = new Set(["db", "ops"]);
  override list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const { namespace = "" } = options;
    if (this.refused.has(namespace))
      return Promise.reject(new Error(`pods is forbidden in the namespace ${namespace}`));
    return super.list(kind, options);
  }
}

it("reads namespaces that have synced while others cannot be listed, and names those it waits for", async () => {
  const client = new RefusingClient();
  for (const namespace of ["web", "db"]) client.source(Pods).add(pod(namespace, "a"));
  const { cache, clock, start } = running({ client, namespaces: ["web", "db", "ops"] });
  const { end } = start();
  const informer = cache.getInformer(Pods);
  const registration = informer.addHandler({});
  expect((await cache.get(Pods, "web/a")).metadata.namespace).toBe("web");
  expect((await cache.get(Pods, { namespace: "web", name: "a" })).metadata.namespace).toBe("web");
  expect(keysOf(await cache.list(Pods, { namespace: "web" }))).toEqual(["web/a"]);
  await expect(cache.get(Pods, "web/b")).rejects.toSatisfy(isNotFound);
  await expect(cache.list(Pods, { namespace: "other" })).rejects.toThrow("unknown namespace");

  expect([informer.hasSynced, registration.hasSynced]).toEqual([false, false]);
  expect(cache.readinessCheck()).toThrow('the cache for v1, Kind=Pod in "db", "ops" has not synced');
  expect(cache.inspect()).toMatchObject([
    { name: "v1, Kind=Pod", hasSynced: false, lastError: expect.stringContaining("forbidden in the namespace db") },
  ]);
  let isListed = false;
  const listing = cache.list(Pods).then((list) => {
    isListed = true;
    return list;
  });
  client.refused.delete("db");
  await clock.advance(60_000);
  expect((await cache.get(Pods, "db/a")).metadata.namespace).toBe("db");
  expect(isListed).toBe(false);
  expect(cache.readinessCheck()).toThrow('the cache for v1, Kind=Pod in "ops" has not synced');
  client.refused.clear();
  await clock.advance(60_000);
  expect(keysOf(await listing)).toEqual(["db/a", "web/a"]);
  expect([informer.hasSynced, await cache.waitForSync()]).toEqual([true, true]);
  await end();
});

it("names the namespaces that a read waited for when it ends", async () => {
  const client = new RefusingClient();
  const { cache, clock, start } = running({ client, namespaces: { web: {}, db: {}, ops: {}, "": { labels: "a" } } });
  const { end } = start();
  client.refused.add("");
  const messageOf = (reading: Promise<unknown>) =>
    reading.then(
      () => "",
      (error: Error) => error.message,
    );
  const reads = [
    cache.get(Pods, "ops/a"),
    cache.list(Pods, { namespace: "elsewhere" }),
    cache.list(Pods),
    cache.list(Pods, { namespace: "db" }),
  ].map(messageOf);
  await clock.advance(0);
  await end();
  const [inOps, elsewhere, all, inDb] = await Promise.all(reads);
  expect(inOps).toBe(
    'the cache is stopping, and v1, Kind=Pod in "ops" has not synced; last error: failed to list v1, Kind=Pod: pods is forbidden in the namespace ops',
  );
  expect(elsewhere).toMatch(
    /Kind=Pod in all other namespaces has not synced; last error: .* forbidden in the namespace $/,
  );
  expect(all).toContain('v1, Kind=Pod in "db", "ops", all other namespaces has not synced');
  expect(inDb).toMatch(/Kind=Pod in "db" has not synced; last error: .* forbidden in the namespace db$/);
});

it("applies a kind's transform", async () => {
  const { cache, start } = running();
  cache.configure(Pods, { transform: (object) => ({ ...object, spec: { nodeName: "transformed" } }) });
  const { end } = start();
  expect((await cache.get(Pods, "web/a")).spec.nodeName).toBe("transformed");
  await end();
});

it("resyncs by the period of the kind's namespace, varied by up to 10 %", async () => {
  const { cache, clock, start } = running({
    namespaces: { web: { resyncMs: 60_000 }, db: {} },
    random: () => 1,
    resyncMs: false,
  });
  const received: string[] = [];
  cache.getInformer(Pods).addHandler({ updated: (_, object) => void received.push(keyOf(object)) });
  const { end } = start();
  await cache.waitForSync();
  await clock.advance(65_999);
  expect(received).toEqual([]);
  await clock.advance(1);
  expect(received.sort()).toEqual(["web/a", "web/b"]);
  await end();
});

it("does not wait for a write that the selectors of its namespace exclude", async () => {
  const { cache, start } = running({
    namespaces: { web: { labels: { name: "a" } }, db: { labels: {} } },
    labels: "none",
  });
  const { end } = start();
  await cache.list(Pods);
  const expected = (object: Pod) =>
    cache.expectations.ofWrite(Pods, { ...object, metadata: { ...object.metadata, resourceVersion: "9" } }).length;
  const web = (name: string) => pod("web", `new-${name}`, "node-1", { name });
  expect([expected(web("a")), expected(web("b")), expected(pod("db", "new")), expected(pod("other", "new"))]).toEqual([
    1, 0, 1, 0,
  ]);
  await end();
});

it("reports that namespaces are not allowed for a kind that turns out to be cluster-scoped", async () => {
  const { kind, client } = untyped([]);
  const errors: unknown[] = [];
  const kinds = [byObject(kind, { namespaces: ["web"] })];
  const { cache, start } = running({ client, kinds, onError: (error) => errors.push(error) });
  const { end } = start();
  const message = 'v1, Kind=Node: namespaces: ["web"] is not allowed for a cluster-scoped kind; omit it';
  await expect(cache.get(kind, "a")).rejects.toThrow(message);
  expect(errors.map(String)).toEqual([`RangeError: ${message}`]);
  expect([await cache.waitForSync(), client.source(kind).lists.length]).toEqual([false, 0]);
  expect(cache.readinessCheck()).toThrow("has not synced");
  await end();
});

it("is ready once all kinds have synced, as long as the server responds", async () => {
  const { cache, client, clock, start } = running();
  const check = cache.readinessCheck();
  client.source(Pods).failNextLists(new Error("not now"));
  cache.getInformer(Pods);
  const { end } = start();
  await clock.advance(0);
  expect(check).toThrow("the cache for v1, Kind=Pod has not synced");
  await clock.advance(2_000);
  expect(check).not.toThrow();
  expect([...cache.ages.keys()]).toEqual(["v1, Kind=Pod"]);
  await clock.advance(300_001);
  expect(check).toThrow("has received nothing from the server");
  client.source(Pods).bookmark();
  await clock.advance(0);
  expect(check).not.toThrow();
  await end();
});

it("ends a kind's informer, and starts a new one when the kind is read again", async () => {
  const { cache, client, start } = running();
  const { end } = start();
  await cache.list(Pods);
  await cache.removeInformer(Pods);
  expect(client.source(Pods).openWatches).toBe(0);
  expect(await cache.list(Pods)).toHaveLength(3);
  expect(client.source(Pods).lists).toHaveLength(2);
  await end();
});

it("stops waiting when the read's signal aborts, or the cache ends", async () => {
  const { cache, client, clock, start } = running();
  client.source(Pods).failNextLists(...Array(10).fill(new Error("not now")));
  const { end } = start();
  const timeout = new AbortController();
  const reading = cache.get(Pods, "web/a", { signal: timeout.signal });
  const outcome = expect(reading).rejects.toThrow("out of patience");
  timeout.abort(new Error("out of patience"));
  await outcome;
  const last = expect(cache.get(Pods, "web/a")).rejects.toThrow(
    "the cache is stopping, and v1, Kind=Pod has not synced; last error: failed to list v1, Kind=Pod: not now",
  );
  await clock.advance(0);
  await end();
  await last;
});

it("ends every wait when it begins to stop, and still answers from synced kinds", async () => {
  const { cache, client, clock } = running();
  const [stop, stopping] = [new AbortController(), new AbortController()];
  const ended = cache.run(stop.signal, stopping.signal);
  await cache.get(Nodes, "node-1");
  client.source(Pods).failNextLists(...Array(10).fill(new Error("pods is forbidden")));
  const informer = cache.getInformer(Pods);
  const registration = informer.addHandler({});
  const reading = expect(cache.get(Pods, "web/a")).rejects.toMatchObject({
    name: "CacheStoppingError",
    message:
      "the cache is stopping, and v1, Kind=Pod has not synced; last error: failed to list v1, Kind=Pod: pods is forbidden",
    cause: { message: "failed to list v1, Kind=Pod: pods is forbidden" },
  });
  await clock.advance(0);
  const waits = [cache.waitForSync(), informer.synced(), registration.synced(), cache.caughtUp(Nodes, "1000")];
  stopping.abort();
  await reading;
  expect(await Promise.all(waits)).toEqual([false, false, false, false]);

  await expect(cache.list(Pods)).rejects.toThrow(CacheStoppingError);
  const Services: Kind = { group: "", version: "v1", kind: "Service", plural: "services", scope: "Namespaced" };
  await expect(cache.list(Services)).rejects.toThrow("the cache is stopping, and v1, Kind=Service has not synced");
  expect(client.source(Services).lists).toHaveLength(0);
  expect(await informer.addHandler({}).synced()).toBe(false);
  expect(await cache.getInformer(Services).synced()).toBe(false);
  expect(await cache.list(Nodes)).toHaveLength(1);
  client.source(Nodes).add({ apiVersion: "v1", kind: "Node", metadata: { name: "node-2" } });
  await clock.advance(0);
  expect(await cache.list(Nodes)).toHaveLength(2);
  stop.abort();
  await ended;
});

it("reports that an informer was removed while a read was waiting", async () => {
  const { cache, client, clock, start } = running();
  client.source(Pods).failNextLists(...Array(10).fill(new Error("not now")));
  const { end } = start();
  const reading = expect(cache.list(Pods)).rejects.toThrow(
    "the informer for v1, Kind=Pod was removed before it had synced; last error: failed to list v1, Kind=Pod: not now",
  );
  await clock.advance(0);
  await cache.removeInformer(Pods);
  await reading;
  await end();
});

it("keeps and reports every object if an index function fails for one, and logs which one", async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const logger = createLogger({ level: "error", destination: { write } });
  const { cache, client, clock, start } = running({ logger });
  const unscheduled = { ...pod("web", "unscheduled"), spec: {} } as Pod;
  client.source(Pods).add(unscheduled);
  cache.indexField(Pods, "spec.nodeName", ({ spec }) => [spec.nodeName.toLowerCase()]);
  const received: string[] = [];
  cache.getInformer(Pods).addHandler({
    added: (object) => void received.push(`+ ${keyOf(object)}`),
    updated: (_, object) => void received.push(`~ ${keyOf(object)}`),
    deleted: (object) => void received.push(`- ${keyOf(object)}`),
  });
  const { end } = start();
  expect(keysOf(await cache.list(Pods))).toEqual(["db/a", "web/a", "web/b", "web/unscheduled"]);
  expect(keysOf(await cache.list(Pods, { fields: { "spec.nodeName": "node-1" } }))).toEqual(["db/a", "web/b"]);
  expect(received).toEqual(["+ web/b", "+ web/a", "+ db/a", "+ web/unscheduled"]);
  expect(lines).toMatchObject([
    { kind: "v1, Kind=Pod", object: "web/unscheduled", index: "field:spec.nodeName", err: { name: "IndexError" } },
  ]);
  client.source(Pods).modify({ ...unscheduled, spec: { nodeName: "node-1" } });
  client.source(Pods).deleteUnseen(unscheduled);
  client.source(Pods).deleteUnseen(pod("db", "a"));
  client.source(Pods).resetWatches();
  await clock.advance(10_000);
  expect(received.slice(4).sort()).toEqual(["- db/a", "- web/unscheduled", "~ web/unscheduled"]);
  expect(keysOf(await cache.list(Pods, { fields: { "spec.nodeName": "node-1" } }))).toEqual(["web/b"]);
  expect(lines).toHaveLength(1);
  const live = cache.liveReader({
    get: async () => expect.unreachable(),
    list: async () => kubeList([unscheduled, pod("web", "a")], {}) as never,
  });
  expect(keysOf(await live.list(Pods, { fields: { "spec.nodeName": "node-1" } }))).toEqual(["web/a"]);
  expect(lines).toMatchObject([{}, { object: "web/unscheduled", index: "field:spec.nodeName" }]);
  await end();
});

it("reports that it does not keep a namespace, instead of NotFound", async () => {
  const { cache, start } = running({ namespaces: ["web", "db"] });
  const { end } = start();
  const unknown = (what: string): string =>
    `unable to ${what} because of unknown namespace for the cache: it contains v1, Kind=Pod only from "web", "db"`;
  await expect(cache.get(Pods, "other/a")).rejects.toThrow(unknown("get other/a"));
  await expect(cache.get(Pods, "other/a")).rejects.not.toSatisfy(isNotFound);
  await expect(cache.list(Pods, { namespace: "other" })).rejects.toThrow(unknown("list in other"));
  await expect(cache.get(Pods, "web/missing")).rejects.toSatisfy(isNotFound);
  expect(await cache.list(Pods)).toHaveLength(3);
  expect(cache.expectations.ofDeletions(Pods, { namespace: "other" }).size).toBe(0);
  await end();
});

it("keeps all namespaces once if the configured ones include all", async () => {
  const { cache, client, start } = running({ namespaces: ["web", ""] });
  const { end } = start();
  expect(await cache.list(Pods)).toHaveLength(3);
  expect(client.source(Pods).lists).toHaveLength(1);
  await end();
});

/** Nodes, in a program that does not declare their scope, and a server that must be asked. */
function untyped(scopes: (() => Promise<"Cluster" | "Namespaced">)[]) {
  const kind: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes" };
  const node = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } });
  /** Like a client, omits the namespace if the objects have none. */
  class Client extends FakeListWatchClient {
    override list<T extends KubeObject>(of: Kind<T>, options: ListOptions = {}): Promise<KubeList<T>> {
      return super.list(of, { ...options, namespace: undefined });
    }
    override watchRaw(of: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
      return super.watchRaw(of, { ...options, namespace: undefined });
    }
    readonly mapper = {
      mappingFor: async () => mappingOf({ ...kind, scope: await (scopes.shift() ?? scope)() }),
    } as unknown as NonNullable<InformerCacheOptions["client"]["mapper"]>;
  }
  const scope = async (): Promise<"Cluster"> => "Cluster";
  const client = new Client();
  client.source(kind).add(node("a"));
  return { kind, node, client };
}

it("lists a kind once that turns out to be cluster-scoped, although several namespaces are configured", async () => {
  const unknown = () => Promise.reject(new Error("discovery is down"));
  const { kind, node, client } = untyped([unknown]);
  const errors: unknown[] = [];
  const { cache, clock, start } = running({
    client,
    namespaces: ["web", "db"],
    onError: (error) => errors.push(error),
    random: () => 0,
  });
  const received: string[] = [];
  const registration = cache
    .getInformer(kind)
    .addHandler({ added: ({ metadata }) => void received.push(metadata.name) });
  const synced = registration.synced();
  const { end } = start();
  const got = cache.get(kind, "a");
  await clock.advance(799);
  expect([client.source(kind).lists.length, errors.map(String)]).toEqual([
    0,
    ["Error: failed to determine whether v1, Kind=Node is namespaced: discovery is down"],
  ]);
  await clock.advance(1);
  expect((await got).metadata.name).toBe("a");
  expect([await synced, registration.hasSynced, await cache.waitForSync()]).toEqual([true, true, true]);
  client.source(kind).add(node("b"));
  await clock.advance(0);
  expect([received, client.source(kind).lists.length, client.source(kind).openWatches]).toEqual([["a", "b"], 1, 1]);
  expect(await cache.list(kind)).toHaveLength(2);
  await expect(cache.get(kind, "missing")).rejects.toSatisfy(isNotFound);
  cache.readinessCheck()();
  await end();
  expect(cache.getInformer(kind).isStopped).toBe(true);
});

it("lists a kind once per namespace that turns out to be namespaced", async () => {
  const { kind, client } = untyped([async () => "Namespaced"]);
  const { cache, start } = running({ client, namespaces: ["web", "db"] });
  const registration = cache.getInformer(kind).addHandler({});
  const { end } = start();
  expect([await registration.synced(), client.source(kind).lists.length]).toEqual([true, 2]);
  await end();
});

it("asks for a kind's scope if a key without namespace finds nothing", async () => {
  const asked: string[] = [];
  const answers = ["Namespaced", "Cluster", undefined].map((scope) => async () => {
    asked.push(String(scope));
    if (scope !== "Namespaced" && scope !== "Cluster") throw new Error("discovery is down");
    return scope;
  });
  const { kind, client } = untyped(answers);
  const { cache, start } = running({ client });
  const { end } = start();
  expect((await cache.get(kind, "a")).metadata.name).toBe("a");
  await expect(cache.get(kind, "web/b")).rejects.toSatisfy(isNotFound);
  expect(asked).toEqual([]);
  await expect(cache.get(kind, "b")).rejects.toThrow("get Node b: objects of this kind are namespaced");
  await expect(cache.get(kind, "b")).rejects.toSatisfy(isNotFound);
  await expect(cache.get(kind, "b")).rejects.toSatisfy(isNotFound);
  expect(asked).toEqual(["Namespaced", "Cluster", "undefined"]);
  await end();
});

it("does not ask for the scope of a kind that declares it", async () => {
  const { kind, client } = untyped([() => Promise.reject(new Error("not asked"))]);
  const { cache, start } = running({ client, namespaces: ["web", "db"], onError: () => expect.unreachable() });
  const { end } = start();
  const registration = cache.getInformer({ ...kind, scope: "Namespaced" }).addHandler({});
  expect([await registration.synced(), client.source(kind).lists.length]).toEqual([true, 2]);
  await end();
});

it("gives up on a kind of unknown scope when it stops", async () => {
  const { kind, client } = untyped(Array(10).fill(() => Promise.reject(new Error("discovery is down"))));
  const { cache, clock, start } = running({ client, namespaces: ["web", "db"] });
  const synced = cache.getInformer(kind).addHandler({}).synced();
  const { end } = start();
  const waiting = cache.waitForSync();
  await clock.advance(1_000);
  await end();
  expect([await synced, await waiting, client.source(kind).lists.length]).toEqual([false, false, 0]);
});

it("reports for each kind whether it has synced, its objects, the age of the server's last response, and its last error", async () => {
  const { cache, client, clock, start } = running();
  expect(cache.inspect()).toEqual([]);
  client.source(Nodes).failNextLists(new Error("not now"));
  const { end } = start();
  await cache.get(Pods, "web/a");
  const nodes = cache.list(Nodes);
  const stateOf = (name: string) => cache.inspect().find((one) => one.name === name);
  await expect.poll(() => stateOf("v1, Kind=Node")?.lastError).toBe("failed to list v1, Kind=Node: not now");
  expect(stateOf("v1, Kind=Node")).toMatchObject({ hasSynced: false, objects: 0, ageMs: undefined });
  expect(stateOf("v1, Kind=Pod")).toEqual({
    name: "v1, Kind=Pod",
    hasSynced: true,
    isDelivering: false,
    ageMs: 0,
    objects: 3,
  });
  await clock.advance(1_500);
  expect(stateOf("v1, Kind=Pod")?.ageMs).toBe(1_500);
  await clock.advance(60_000);
  await nodes;
  expect(stateOf("v1, Kind=Node")).toMatchObject({ hasSynced: true, objects: 1 });
  await end();
});

it("reports what it knows about an object without starting an informer", async () => {
  const { cache, client, start } = running({ namespaces: { web: {}, db: { labels: "name=b" } } });
  client.source(Pods).add({
    ...pod("web", "gone"),
    metadata: {
      namespace: "web",
      name: "gone",
      resourceVersion: "7",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      finalizers: ["a/b"],
    },
  });
  expect([cache.inspectObject(Pods, "web/a"), cache.inspect()]).toEqual([{ state: "unknown" }, []]);
  cache.getInformer(Pods);
  expect(cache.inspectObject(Pods, "web/a")).toEqual({ state: "unsynced" });
  const { end } = start();
  await cache.list(Pods);
  expect(cache.inspectObject(Pods, "web/a")).toMatchObject({ state: "present", finalizers: [] });
  expect(cache.inspectObject(Pods, "web/gone")).toMatchObject({
    state: "present",
    deletionTimestamp: "2026-01-01T00:00:00Z",
    finalizers: ["a/b"],
  });
  expect(cache.inspectObject(Pods, "web/none")).toEqual({ state: "absent", hasSelector: false });
  expect(cache.inspectObject(Pods, "db/none")).toEqual({ state: "absent", hasSelector: true });
  expect(cache.inspectObject(Pods, "ops/a")).toEqual({ state: "outside", namespaces: ["db", "web"] });
  await end();
});

it("returns sorted pages of keys", async () => {
  const { cache, client, start } = running();
  for (let at = 0; at < 30; at++) client.source(Pods).add(pod("ops", `p${at}`));
  expect(cache.inspectKeys(Pods, { limit: 10 })).toEqual({ keys: [], total: 0 });
  const { end } = start();
  await cache.list(Pods);
  const all = cache.inspectKeys(Pods, { limit: 100 }).keys;
  expect(all).toEqual(all.toSorted());
  expect(all).toHaveLength(33);
  const paged: string[] = [];
  for (let after = ""; ; ) {
    const { keys, total } = cache.inspectKeys(Pods, { limit: 10, after });
    expect(total).toBe(33);
    if (keys.length === 0) break;
    paged.push(...keys);
    after = keys.at(-1) ?? "";
  }
  expect(paged).toEqual(all);
  expect(cache.inspectKeys(Pods, { limit: 9, search: "/p2" })).toMatchObject({ total: 11, keys: { length: 9 } });
  expect(cache.inspectKeys(Pods, { limit: 9, namespace: "web", search: "a" })).toEqual({ keys: ["web/a"], total: 1 });
  await end();
});
