import { type Kind, type KubeObject, notFound, type StatusError, unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
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

/** The collector's client, without a server. */
let stored: Map<string, KubeObject>;
let writes: [verb: string, name: string, ...rest: unknown[]][];
let reads: string[];
let events: { readonly name: string; readonly reason: string; readonly note: string }[];
let failure: StatusError | Error | undefined;
let collector: Collector;
let clock: FakeClock;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  [stored, writes, reads, events, failure] = [new Map(), [], [], [], undefined];
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
    log: silentLogger,
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
/** Sets the current state of an object, which only the server has. */
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
