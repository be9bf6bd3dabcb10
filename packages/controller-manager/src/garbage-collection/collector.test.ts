import {
  conflict,
  type Kind,
  type KubeObject,
  notFound,
  type StatusError,
  unstructured,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { type Logger, silentLogger } from "@kubewright/log";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Collector } from "./collector.ts";

const kind: Kind = { ...unstructured({ apiVersion: "v1", kind: "ConfigMap" }), scope: "Namespaced" };
const clusterKind: Kind = { ...unstructured({ apiVersion: "v1", kind: "Node" }), scope: "Cluster" };
const owner = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid: `uid-${name}`,
  ...more,
});
const object = (name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", ...metadata },
});
const owned = (name: string, ...owners: ReturnType<typeof owner>[]) => object(name, { ownerReferences: owners });
const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const foreground = { ...deleting, finalizers: ["foregroundDeletion", "other"] };

/** A client for the collector that needs no server. */
let stored: Map<string, KubeObject>;
let writes: [verb: string, name: string, ...rest: unknown[]][];
let reads: string[];
let events: { readonly name: string; readonly reason: string; readonly note: string }[];
let failure: StatusError | Error | undefined;
let logged: (readonly [level: string, about: object, message: string])[];
let collector: Collector;
let clock: FakeClock;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  [stored, writes, reads, events, failure, logged] = [new Map(), [], [], [], undefined, []];
  [clock, stop] = [new FakeClock(), new AbortController()];
  const live = {
    mapper: {
      mappingFor: async ({ kind: name }: Kind) => ({ scope: name === "Node" ? "Cluster" : "Namespaced" }),
    },
    get: async (_: Kind, { namespace, name }: { namespace?: string; name: string }) => {
      reads.push(name);
      const found = stored.get(name);
      if (!found || found.metadata.namespace !== namespace) throw notFound({ group: "", resource: "configmaps" }, name);
      return found;
    },
    delete: async (_: Kind, { name }: { name: string }, options: object) => {
      writes.push(["delete", name, options]);
      if (failure) throw failure;
      stored.delete(name);
    },
    patch: async (_: Kind, target: string | KubeObject, patch: { metadata: object }, options?: object) => {
      const name = typeof target === "string" ? (target.split("/")[1] ?? "") : target.metadata.name;
      writes.push(["patch", name, patch.metadata, options]);
      if (failure) throw failure;
      const found = stored.get(name);
      if (!found) return;
      const { ownerReferences, ...metadata } = { ...found.metadata, ...patch.metadata };
      stored.set(name, { ...found, metadata: { ...metadata, ...(ownerReferences ? { ownerReferences } : {}) } });
    },
  };
  collector = new Collector({
    live: live as unknown as Client,
    recorder: {
      event: (about, { reason, note }) =>
        void events.push({ name: about.metadata?.name ?? "", reason, note: note ?? "" }),
    },
    clock,
    log: {
      ...silentLogger,
      debug: (about: object, message: string) => void logged.push(["debug", about, message]),
      info: (about: object, message: string) => void logged.push(["info", about, message]),
    } as unknown as Logger,
  });
  running = collector.run(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await running;
});

const see = (...objects: KubeObject[]): void => {
  for (const one of objects) stored.set(one.metadata.name, one);
  for (const one of objects) collector.observe(one.metadata.namespace === undefined ? clusterKind : kind, one);
};
/** Sets an object's current state, which only the server knows. */
const store = (one: KubeObject): void => void stored.set(one.metadata.name, one);
const gone = (name: string): void => {
  stored.delete(name);
  collector.forget(`uid-${name}`);
};
/** Waits until the workers are idle. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const deleted = (name: string, propagationPolicy = "Background") => [
  "delete",
  name,
  { propagationPolicy, preconditions: { uid: `uid-${name}`, resourceVersion: "1" } },
];

it("deletes an object without owners, after checking the server", async () => {
  see(object("a"), owned("child", owner("a")), object("free"));
  await settled();
  expect(writes).toEqual([]);
  gone("a");
  await settled();
  expect(writes).toEqual([deleted("child")]);
});

it.each([
  ["orphan", "Orphan"],
  ["foregroundDeletion", "Foreground"],
])("deletes an object with the finalizer %s according to its policy", async (finalizer, policy) => {
  see(object("child", { ownerReferences: [owner("none")], finalizers: [finalizer] }));
  await settled();
  expect(writes).toEqual([deleted("child", policy)]);
});

it("removes absent owners if another remains, and reads an absent one once", async () => {
  see(object("a"), owned("child", owner("a"), owner("none")), owned("other", owner("a"), owner("none")));
  await settled();
  const kept = (name: string) => ["patch", name, { ownerReferences: [owner("a")] }, { optimisticLock: true }];
  expect(writes.toSorted()).toEqual([kept("child"), kept("other")]);
  expect(new Set(reads)).toEqual(new Set(["child", "none", "other"]));
});

it("treats an owner as deleted if another object has its name now", async () => {
  see(object("a", { uid: "another" }), owned("child", owner("a")));
  await settled();
  expect(writes).toEqual([deleted("child")]);
});

it("does not touch an object that was recreated, has an owner again, or is being deleted", async () => {
  see(object("a"), owned("child", owner("a")));
  store(object("child", { uid: "anew", ownerReferences: [owner("a")] }));
  gone("a");
  see(object("going", { ownerReferences: [owner("none")], ...deleting }));
  await settled();
  expect(writes).toEqual([]);
});

it("warns once about an owner in another namespace, and deletes the dependent", async () => {
  const foreign = object("a", { namespace: "other" });
  see(foreign, owned("child", owner("a")));
  await settled();
  expect(events).toEqual([
    {
      name: "child",
      reason: "OwnerRefInvalidNamespace",
      note: 'ownerRef [v1/ConfigMap, namespace: default, name: a, uid: uid-a] does not exist in namespace "default"',
    },
  ]);
  expect(writes).toEqual([deleted("child")]);
});

it("also warns if the owner is seen after its dependent", async () => {
  see(owned("child", owner("a")), object("a", { namespace: "other" }));
  expect(events.map(({ name }) => name)).toEqual(["child"]);
  await settled();
});

it("does not warn about owners in the same namespace or cluster-scoped owners", async () => {
  const { namespace, ...metadata } = object("node").metadata;
  const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata };
  see(object("a"), node, owned("child", owner("a"), owner("node", { kind: "Node" })));
  see(owned("early", owner("late")), object("late"));
  await settled();
  expect([events, writes]).toEqual([[], []]);
});

it("does not touch a cluster-scoped object with a namespaced owner", async () => {
  const { namespace, ...metadata } = owned("node", owner("none")).metadata;
  see({ apiVersion: "v1", kind: "Node", metadata });
  await settled();
  await clock.advance(60_000);
  await settled();
  expect([writes, reads]).toEqual([[], ["node"]]);
});

it("holds an owner while dependents block it, and releases it after the last", async () => {
  const child = owned("child", owner("a", { blockOwnerDeletion: true }));
  see(object("a"), child);
  see(object("a", foreground));
  await settled();
  expect(writes).toEqual([deleted("child"), ["patch", "a", { finalizers: ["other"] }, { optimisticLock: true }]]);
});

it("checks an owner again when an edit of its dependent frees it", async () => {
  const child = { ...deleting, finalizers: ["slow"] };
  const ownerReferences = [owner("a", { blockOwnerDeletion: true })];
  see(object("a", foreground), object("child", { ...child, ownerReferences }));
  await settled();
  expect(writes).toEqual([]);
  see(object("child", child));
  await settled();
  expect(writes).toEqual([["patch", "a", { finalizers: ["other"] }, { optimisticLock: true }]]);
});

it("does not wait for dependents that do not block", async () => {
  see(owned("child", owner("a")), object("a", foreground));
  await settled();
  expect(writes).toContainEqual(["patch", "a", { finalizers: ["other"] }, { optimisticLock: true }]);
});

it("deletes dependents with dependents in the foreground while the owner waits", async () => {
  const block = { blockOwnerDeletion: true };
  see(owned("grandchild", owner("child", block)), owned("child", owner("a", block)), object("a", foreground));
  await settled();
  expect(writes[0]).toEqual(deleted("child", "Foreground"));
});

it("breaks a cycle in which each object waits for the other", async () => {
  const block = { blockOwnerDeletion: true };
  see(object("a", { ...foreground, ownerReferences: [owner("b", block)] }), owned("b", owner("a", block)));
  await settled();
  expect(writes.slice(0, 2)).toEqual([
    ["patch", "b", { uid: "uid-b", ownerReferences: [owner("a", { blockOwnerDeletion: false })] }, undefined],
    deleted("b", "Foreground"),
  ]);
});

it("removes an orphaning owner from its dependents, and keeps their other owners", async () => {
  see(object("b"), owned("child", owner("a"), owner("b")), owned("only", owner("a")), object("a"));
  see(object("a", { ...deleting, finalizers: ["orphan"] }));
  await settled();
  expect(writes.toSorted()).toEqual([
    ["patch", "a", { finalizers: [] }, { optimisticLock: true }],
    ["patch", "child", { ownerReferences: [owner("b")] }, { optimisticLock: true }],
    ["patch", "only", { ownerReferences: null }, { optimisticLock: true }],
  ]);
});

it("retries failures with growing delays, and treats deleted objects as done", async () => {
  failure = new Error("the server is down");
  see(object("a"), owned("child", owner("a")));
  await settled();
  gone("a");
  await settled();
  expect(writes).toHaveLength(1);
  await clock.advance(5);
  await settled();
  await clock.advance(9);
  await settled();
  expect(writes).toHaveLength(2);
  failure = notFound({ group: "", resource: "configmaps" }, "child");
  await clock.advance(1);
  await settled();
  await clock.advance(60_000);
  await settled();
  expect(writes).toHaveLength(3);
});

it("collects dependents of a deleted kind without reading its objects", async () => {
  see(object("a"), owned("child", owner("a")));
  await settled();
  reads = [];
  collector.forgetKind(kind);
  await settled();
  expect(reads).toEqual([]);
});

it("never reads a name that would lead to another path", async () => {
  see(owned("child", owner("../x")));
  await settled();
  expect(reads).not.toContain("../x");
  expect(writes).toEqual([deleted("child")]);
});

const without = (one: KubeObject): KubeObject => {
  const { namespace: _namespace, ...metadata } = one.metadata;
  return { ...one, metadata };
};
const kept = (name: string, ...owners: ReturnType<typeof owner>[]) => [
  ...["patch", name, { ownerReferences: owners }, { optimisticLock: true }],
];

it("reads nothing of what is not owned and not being deleted, or is deleted without dependents to wait for", async () => {
  see(object("free"), object("going", deleting));
  await settled();
  expect([reads, writes]).toEqual([[], []]);
});

it("takes a waiting owner off where another one stays", async () => {
  see(object("b"), object("a", foreground), owned("child", owner("a"), owner("b")));
  await settled();
  expect(writes).toContainEqual(kept("child", owner("b")));
});

it("leaves alone what has all its owners, seen or not", async () => {
  store(object("unseen"));
  see(object("a"), owned("child", owner("a"), owner("unseen")));
  await settled();
  expect(writes).toEqual([]);
  expect(reads).toContain("unseen");
});

it("leaves an owner to its informer that only a dependent has named", async () => {
  store(object("unseen", { ownerReferences: [owner("none")] }));
  store(object("waiting", foreground));
  see(owned("child", owner("unseen"), owner("waiting")));
  await settled();
  expect(writes.filter(([, name]) => name !== "child")).toEqual([]);
});

it("deletes in the background what has no dependents while its owner waits", async () => {
  see(owned("child", owner("a", { blockOwnerDeletion: true })), object("a", foreground));
  await settled();
  expect(writes[0]).toEqual(deleted("child"));
});

it("opens no circle where no dependent waits", async () => {
  const block = { blockOwnerDeletion: true };
  see(owned("grandchild", owner("child", block)), owned("child", owner("a", block)), object("a", foreground));
  await settled();
  expect(writes.filter(([verb, name]) => verb === "patch" && name === "child")).toEqual([]);
});

it("does not delete a dependent that is being deleted again while its owner waits", async () => {
  const ownerReferences = [owner("a", { blockOwnerDeletion: true })];
  see(object("child", { ...deleting, finalizers: ["slow"], ownerReferences }), object("a", foreground));
  await settled();
  reads = [];
  see(object("a", foreground));
  await settled();
  expect([reads, writes]).toEqual([["a"], []]);
});

it("lets an owner go once the last dependent that blocked it is gone", async () => {
  const child = { ...deleting, finalizers: ["slow"], ownerReferences: [owner("a", { blockOwnerDeletion: true })] };
  see(object("child", child), object("a", foreground));
  await settled();
  gone("child");
  await settled();
  expect(writes).toEqual([["patch", "a", { finalizers: ["other"] }, { optimisticLock: true }]]);
});

it("looks at dependents again when their owner begins to wait for them", async () => {
  const child = owned("child", owner("a", { blockOwnerDeletion: true }));
  see(object("a"), child);
  await settled();
  reads = [];
  see(object("a", deleting));
  await settled();
  expect(reads).toEqual([]);
  see(object("a", foreground));
  await settled();
  expect(new Set(reads)).toEqual(new Set(["child", "a"]));
});

it("takes from the dependents of an owner that orphans only what is theirs, and misses none", async () => {
  see(owned("gone", owner("a")), owned("anew", owner("a")), owned("free", owner("a")), object("a"));
  await settled();
  stored.delete("gone");
  store(object("anew", { uid: "another", ownerReferences: [owner("a")] }));
  store(object("free", { ownerReferences: [owner("b")] }));
  see(object("a", { ...deleting, finalizers: ["orphan", "other"] }));
  await settled();
  expect(writes.toSorted()).toEqual([
    ["patch", "a", { finalizers: ["other"] }, { optimisticLock: true }],
    kept("free", owner("b")),
  ]);
});

it("orphans before it waits", async () => {
  see(owned("child", owner("a", { blockOwnerDeletion: true })), object("a"));
  see(object("a", { ...deleting, finalizers: ["foregroundDeletion", "orphan"] }));
  await settled();
  expect(writes).toContainEqual(["patch", "child", { ownerReferences: null }, { optimisticLock: true }]);
  expect(writes).toContainEqual(["patch", "a", { finalizers: ["foregroundDeletion"] }, { optimisticLock: true }]);
});

it("acts on what the server has, not on what was seen", async () => {
  see(owned("child", owner("none")));
  store(object("child"));
  see(object("a", foreground));
  store(object("a"));
  await settled();
  expect(writes).toEqual([]);
});

it("collects the dependents of an object that the server no longer has, though nobody said so", async () => {
  see(object("a", foreground), owned("child", owner("a", { blockOwnerDeletion: true })));
  stored.delete("a");
  await settled();
  expect(writes).toEqual([deleted("child")]);
});

it("knows owners of the cluster, and dependents in it", async () => {
  const node = without({ ...object("node"), kind: "Node" });
  see(node, owned("child", owner("node", { kind: "Node" })));
  const owns = without({ ...owned("volume", owner("node", { kind: "Node" })), kind: "Node" });
  see(owns);
  await settled();
  expect([writes, events]).toEqual([[], []]);
  gone("node");
  await settled();
  expect(writes.map(([verb, name]) => [verb, name]).toSorted()).toEqual([
    ["delete", "child"],
    ["delete", "volume"],
  ]);
});

it("warns of a namespaced owner of an object of the cluster, without naming a namespace", async () => {
  see(object("a"), without({ ...owned("node", owner("a")), kind: "Node" }));
  expect(events).toEqual([
    {
      name: "node",
      reason: "OwnerRefInvalidNamespace",
      note: 'ownerRef [v1/ConfigMap, name: a, uid: uid-a] does not exist in namespace ""',
    },
  ]);
  await settled();
});

it("warns of an owner in another namespace only once", async () => {
  see(object("a", { namespace: "other" }), owned("child", owner("a")));
  see(object("a", { namespace: "other", labels: { changed: "yes" } }));
  expect(events).toHaveLength(1);
  await settled();
});

it("collects what a kind owned that is gone, and nothing of another kind", async () => {
  const node = without({ ...object("node"), kind: "Node" });
  see(object("a"), node, owned("child", owner("a")), owned("other", owner("node", { kind: "Node" })));
  await settled();
  collector.forgetKind(clusterKind);
  await settled();
  expect(writes).toEqual([deleted("other")]);
});

it.each([
  ["info", new Error("the server is down")],
  ["debug", conflict({ group: "", resource: "configmaps" }, "child", "changed")],
])("logs with level %s what it tries again: %s", async (level, error) => {
  see(object("a"), owned("child", owner("a")));
  await settled();
  failure = error;
  gone("a");
  await settled();
  expect(logged).toEqual([
    [
      level,
      { err: error, kind: "ConfigMap", namespace: "default", name: "child" },
      "cannot collect an object; retrying",
    ],
  ]);
  failure = undefined;
  await clock.advance(5);
  await settled();
  expect(writes).toHaveLength(2);
});

it("begins with a short delay again once an attempt succeeded", async () => {
  const down = new Error("the server is down");
  see(object("a"), owned("child", owner("a")));
  await settled();
  failure = down;
  gone("a");
  await settled();
  await clock.advance(5);
  await settled();
  failure = undefined;
  await clock.advance(10);
  await settled();
  expect(writes).toHaveLength(3);
  see(object("b"), owned("child", owner("b")));
  await settled();
  failure = down;
  gone("b");
  await settled();
  failure = undefined;
  await clock.advance(5);
  await settled();
  expect(writes).toHaveLength(5);
});

it.each([
  ["a patch of owners", () => see(object("a"), owned("child", owner("a"), owner("none")))],
  ["a patch of finalizers", () => see(object("a", foreground))],
])("takes %s for done where the object is gone", async (_what, make) => {
  failure = notFound({ group: "", resource: "configmaps" }, "x");
  make();
  await settled();
  const attempts = writes.length;
  expect(attempts).toBeGreaterThan(0);
  await clock.advance(60_000);
  await settled();
  expect([logged, writes.length]).toEqual([[], attempts]);
});

it("reads the scope of a kind where it has none", async () => {
  collector.observe(unstructured({ apiVersion: "v1", kind: "ConfigMap" }), owned("child", owner("none")));
  store(owned("child", owner("none")));
  await settled();
  expect(writes).toEqual([deleted("child")]);
});

it("takes no more objects once it was stopped", async () => {
  stop.abort();
  await running;
  see(owned("child", owner("none")));
  await settled();
  expect(reads).toEqual([]);
});
