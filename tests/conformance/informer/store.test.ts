import { DeletedFinalStateUnknown, type Stored } from "@kubewright/apimachinery";
import { type IndexFunc, Lister, SharedInformer } from "@kubewright/cache";
import { FakeListWatch } from "@kubewright/cache/testing";
import { Indexer, TransactionError, TTLStore, UndeltaStore } from "@kubewright/cache/tools";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle, storedPod } from "./pods.ts";

const byNode: IndexFunc<Pod> = (object) => (object.spec?.nodeName ? object.spec.nodeName.split(",") : []);

describe("store and indexer", () => {
  it("INF-004 has one entry per key, and after a replacement exactly the given objects", () => {
    const store = new Indexer<Pod>();
    store.add(pod("a", 1));
    expect(store.get("web/a")).toEqual(pod("a", 1));
    store.update(pod("a", 2));
    store.add(pod("b", 3));
    expect(store.list()).toEqual([pod("a", 2), pod("b", 3)]);
    store.delete(pod("a"));
    expect(store.get("web/a")).toBeUndefined();
    store.delete(new DeletedFinalStateUnknown("web/b", pod("b")));
    expect(store.keys()).toEqual([]);
    store.add(pod("c"));
    store.replace([pod("d"), pod("e")]);
    expect(store.keys()).toEqual(["web/d", "web/e"]);
    expect(store.has("web/c")).toBe(false);
  });

  it("INF-005 applies its transform to every write", () => {
    const store = new Indexer<Pod>({ transform: (object) => ({ ...object, spec: { nodeName: "transformed" } }) });
    store.add(pod("a"));
    store.update(pod("b"));
    expect(store.list().map((object) => object.spec?.nodeName)).toEqual(["transformed", "transformed"]);
    store.replace([pod("c")]);
    expect(store.get("web/c")?.spec?.nodeName).toBe("transformed");
  });

  it("INF-006 performs the possible writes of a batch, and reports which", () => {
    const store = new Indexer<object>();
    const good = (name: string) => ({ type: "add" as const, object: pod(name) });
    const bad = { type: "add" as const, object: {} };
    const indicesOf = (writes: Parameters<typeof store.transaction>[0]): unknown => {
      try {
        store.transaction(writes);
        return "all";
      } catch (error) {
        return error instanceof TransactionError ? error.successfulIndices : error;
      }
    };
    expect(indicesOf([good("a"), bad, good("b"), bad])).toEqual([0, 2]);
    expect(store.keys()).toEqual(["web/a", "web/b"]);
    expect(indicesOf([bad, bad])).toEqual([]);
    expect(indicesOf([good("c"), { type: "delete", object: pod("a") }])).toBe("all");
  });

  it("INF-007 has no version at first", () => {
    expect(new Indexer<Pod>().resourceVersion).toBe("");
  });

  it("INF-008 is at the version of the last write", () => {
    const store = new Indexer<unknown>({ keyOf: (object) => (typeof object === "string" ? object : "key") });
    const after = (write: () => void): string => {
      write();
      return store.resourceVersion;
    };
    expect(after(() => store.add(pod("a", 10)))).toBe("10");
    expect(after(() => store.add(pod("b", 10)))).toBe("10");
    expect(after(() => store.update(pod("a", 20)))).toBe("20");
    expect(after(() => store.delete(pod("a", 30)))).toBe("30");
    expect(after(() => store.add("no metadata"))).toBe("30");
  });

  it("INF-009 is at the list's version after a replacement", () => {
    const store = new Indexer<Pod>();
    store.replace([pod("a", 10), pod("b", 40)], "50");
    expect(store.resourceVersion).toBe("50");
  });

  it("INF-010 finds objects by an index, and lists each value once", () => {
    const store = new Indexer<Pod>({ indexers: { byNode } });
    const one = pod("one", 1, { spec: { nodeName: "bar" } });
    for (const object of [
      one,
      pod("two", 1, { spec: { nodeName: "bar" } }),
      pod("tre", 1, { spec: { nodeName: "biz" } }),
    ])
      store.add(object);
    expect(namesOf(store.index("byNode", one))).toEqual(["one", "two"]);
    expect(store.indexValues("byNode").sort()).toEqual(["bar", "biz"]);
  });

  it("INF-011 indexes an object under several values, and updates them", () => {
    const store = new Indexer<Pod>({ indexers: { byNode } });
    const found = (value: string): string[] => namesOf(store.byIndex("byNode", value)).sort();
    store.add(pod("e", 1, { spec: { nodeName: "ernie,bert" } }));
    store.add(pod("o", 1, { spec: { nodeName: "oscar,bert" } }));
    expect([found("ernie"), found("bert"), found("oscar"), found("elmo")]).toEqual([["e"], ["e", "o"], ["o"], []]);
    store.update(pod("e", 2, { spec: { nodeName: "elmo,bert" } }));
    expect([found("ernie"), found("bert"), found("elmo")]).toEqual([[], ["e", "o"], ["e"]]);
    store.delete(pod("o"));
    expect([found("bert"), found("oscar")]).toEqual([["e"], []]);
  });

  it("INF-012 drops a value with its last object", () => {
    const store = new Indexer<Pod>({ indexers: { byNode } });
    store.add(pod("a", 1, { spec: { nodeName: "node-1" } }));
    store.delete(pod("a"));
    expect(store.indexValues("byNode")).toEqual([]);
  });

  it("INF-013 keeps a value while an object has it", () => {
    const store = new Indexer<Pod>({ indexers: { byNode } });
    for (const name of ["a", "b"]) store.add(pod(name, 1, { spec: { nodeName: "node-1" } }));
    store.delete(pod("a"));
    expect(store.indexKeys("byNode", "node-1")).toEqual(["web/b"]);
  });

  it("INF-014 fills an index added to a running informer at once, and keeps it current", async () => {
    const clock = new FakeClock();
    const source = new FakeListWatch<Pod>();
    source.add(pod("a", 0, { spec: { nodeName: "node-1" } }));
    const informer = new SharedInformer<Pod>(source, { clock });
    informer.addIndexers({ before: (object) => [object.spec?.nodeName ?? ""] });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await informer.synced();
    informer.addIndexers({ late: (object) => [object.spec?.nodeName ?? ""] });
    expect(namesOf(informer.indexer.byIndex("before", "node-1"))).toEqual(["a"]);
    expect(namesOf(informer.indexer.byIndex("late", "node-1"))).toEqual(["a"]);
    source.add(pod("b", 0, { spec: { nodeName: "node-1" } }));
    source.modify(pod("a", 0, { spec: { nodeName: "node-2" } }));
    await settle();
    expect(namesOf(informer.indexer.byIndex("late", "node-1"))).toEqual(["b"]);
    expect(namesOf(informer.indexer.byIndex("late", "node-2"))).toEqual(["a"]);
    stop.abort();
    await running;
  });

  it("INF-015 returns typed results, accepts typed index functions, and refuses an unknown index", () => {
    const store = new Indexer<Pod>();
    store.addIndexers({ byNode });
    store.add(pod("a", 1, { spec: { nodeName: "node-1" } }));
    const [found]: Pod[] = store.byIndex("byNode", "node-1");
    expect(found?.spec?.nodeName).toBe("node-1");
    expect(found && store.index("byNode", found)).toEqual([found]);
    expect(() => store.byIndex("byZone", "a")).toThrow("Index with name byZone does not exist");
    expect(() => found && store.index("byZone", found)).toThrow("Index with name byZone does not exist");
  });

  it("INF-016 lists the selected objects, all, or none", () => {
    const store = new Indexer<Stored<Pod>>();
    for (let index = 0; index < 10_000; index++)
      store.add(storedPod(`pod-${index}`, 1, { labels: { tenth: String(index % 10 === 0) } }));
    const lister = new Lister<Pod>(store);
    expect(lister.list({ labels: { tenth: "true" } })).toHaveLength(1_000);
    expect(lister.list({ labels: "tenth in (true,false)" })).toHaveLength(10_000);
    expect(lister.list()).toHaveLength(10_000);
    expect(lister.list({ labels: { tenth: "no" } })).toEqual([]);
  });

  it("INF-017 publishes the whole content after each change", () => {
    const pushed: string[][] = [];
    const store = new UndeltaStore<Pod>((objects) => pushed.push(namesOf(objects)));
    store.add(pod("a"));
    store.update(pod("a", 2));
    store.replace([pod("b"), pod("c")]);
    store.delete(pod("b"));
    store.delete(pod("c"));
    expect(pushed).toEqual([["a"], ["a"], ["b", "c"], ["c"], []]);
  });

  it("INF-018 publishes nothing for reads", () => {
    let pushes = 0;
    const store = new UndeltaStore<Pod>(() => pushes++);
    store.get("web/a");
    store.list();
    store.keys();
    expect(pushes).toBe(0);
  });

  it("INF-019 drops an expired object when it is read, and accepts it again", async () => {
    const clock = new FakeClock();
    const store = new TTLStore<string>({ keyOf: (text) => text.slice(0, 3), ttlMs: 1_000, clock });
    store.put("foo 1");
    expect(store.get("foo")).toBe("foo 1");
    await clock.advance(1_001);
    expect(store.get("foo")).toBeUndefined();
    expect(store.size).toBe(0);
    store.put("foo 2");
    expect(store.get("foo")).toBe("foo 2");
  });

  it("INF-020 lists objects that have not expired, and drops the others", async () => {
    const clock = new FakeClock();
    const store = new TTLStore<string>({ keyOf: (text) => text, ttlMs: 1_000, clock });
    store.put("foo");
    await clock.advance(600);
    store.put("bar");
    await clock.advance(600);
    expect(store.list()).toEqual(["bar"]);
    expect(store.size).toBe(1);
  });
});
