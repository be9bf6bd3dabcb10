import type { Stored } from "@kubewright/apimachinery";
import {
  filteringHandler,
  type IndexFunc,
  InformerFactory,
  InformerName,
  type ReportingInformer,
  type ResourceEventHandler,
  SharedInformer,
} from "@kubewright/cache";
import { FakeListWatch, FakeListWatchClient } from "@kubewright/cache/testing";
import { Indexer, MutationCache } from "@kubewright/cache/tools";
import { ConfigMap, Node } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle, storedPod } from "./pods.ts";

function recording(): { received: string[]; handler: Required<ResourceEventHandler<Pod>> } {
  const received: string[] = [];
  return {
    received,
    handler: {
      added: (object, isInitial) => void received.push(`+${object.metadata.name} ${isInitial}`),
      updated: (old, object) =>
        void received.push(`~${old.metadata.resourceVersion}>${object.metadata.resourceVersion}`),
      deleted: (object, isUnknown) =>
        void received.push(`-${object.metadata.name} ${object.metadata.resourceVersion} ${isUnknown}`),
    },
  };
}

describe("filtering and typed handlers", () => {
  it("INF-128 reports matching objects, an addition when one begins to match, and a deletion when it stops", () => {
    const { received, handler } = recording();
    const filtering = filteringHandler<Pod>((object) => object.spec?.nodeName === "yes", handler);
    const matching = (version: number): Stored<Pod> => storedPod("a", version, { spec: { nodeName: "yes" } });
    const other = (version: number): Stored<Pod> => storedPod("a", version, { spec: { nodeName: "no" } });
    filtering.updated?.(matching(1), matching(2));
    filtering.updated?.(other(2), matching(3));
    filtering.updated?.(matching(3), other(4));
    filtering.updated?.(other(4), other(5));
    expect(received).toEqual(["~1>2", "+a false", "-a 3 false"]);
    received.length = 0;
    filtering.added?.(matching(1), true);
    filtering.added?.(other(1), true);
    filtering.deleted?.(matching(1), false);
    filtering.deleted?.(other(1), false);
    expect(received).toEqual(["+a true", "-a 1 false"]);
  });

  it("INF-129 skips missing callbacks, and passes the initial-list flag on", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const informer = new SharedInformer<Pod>(source, { clock: new FakeClock() });
    const flags: boolean[] = [];
    const empty = informer.addHandler({});
    const detailed = informer.addHandler({ added: (_, isInInitialList) => void flags.push(isInInitialList) });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await Promise.all([empty.synced(), detailed.synced()]);
    source.add(pod("b"));
    source.modify(pod("b"));
    source.delete(pod("b"));
    await settle();
    expect(flags).toEqual([true, false]);
    stop.abort();
    await running;
  });

  it("INF-130 passes the last known object of a missed deletion, and marks it", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const clock = new FakeClock();
    const informer = new SharedInformer<Pod>(source, { clock });
    const { received, handler } = recording();
    informer.addHandler(handler);
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    await informer.synced();
    source.deleteUnseen(pod("a"));
    source.resetWatches();
    await clock.advance(5_000);
    expect(received).toEqual(["+a true", "-a 1 true"]);
    stop.abort();
    await running;
  });
});

describe("mutation cache", () => {
  const byNode: IndexFunc<Pod> = (object) => [object.spec?.nodeName ?? ""];
  const onNode = (name: string, version: number): Pod => pod(name, version, { spec: { nodeName: "node-1" } });

  it("INF-132 returns a write until the informer reports the same or a newer version", () => {
    const shownAfter = (reported: number): string | undefined => {
      const store = new Indexer<Pod>();
      const cache = new MutationCache<Pod>(store, { clock: new FakeClock() });
      store.add(pod("a", 1));
      cache.mutation(pod("a", 5));
      store.update(pod("a", reported));
      cache.observed(pod("a", reported));
      return cache.get("web/a")?.metadata.resourceVersion;
    };
    expect([shownAfter(4), shownAfter(5), shownAfter(6)]).toEqual(["5", "5", "6"]);
  });

  it("INF-133 does not restore an object that was deleted before its write was recorded", () => {
    const store = new Indexer<Pod>({ indexers: { byNode } });
    const cache = new MutationCache<Pod>(store, { includeAdds: true, indexers: { byNode }, clock: new FakeClock() });
    store.add(onNode("a", 1));
    store.delete(onNode("a", 7));
    cache.deleted(onNode("a", 7));
    cache.mutation(onNode("a", 5));
    expect(cache.get("web/a")).toBeUndefined();
    expect(cache.byIndex("byNode", "node-1")).toEqual([]);
    cache.mutation(onNode("a", 9));
    expect(cache.get("web/a")?.metadata.resourceVersion).toBe("9");
  });

  it("INF-134 finds objects by index that are only known from a write, until they are deleted", () => {
    const store = new Indexer<Pod>({ indexers: { byNode } });
    const cache = new MutationCache<Pod>(store, { includeAdds: true, indexers: { byNode }, clock: new FakeClock() });
    store.add(onNode("stored", 1));
    cache.mutation(onNode("written", 5));
    expect(namesOf(cache.byIndex("byNode", "node-1"))).toEqual(["stored", "written"]);
    cache.deleted(onNode("written", 6));
    expect(namesOf(cache.byIndex("byNode", "node-1"))).toEqual(["stored"]);
    expect(cache.get("web/written")).toBeUndefined();
  });
});

describe("informer identity and test source", () => {
  const pods = { group: "", version: "v1", resource: "pods" };

  it("INF-135 accepts names that are neither empty nor taken, and frees them", () => {
    expect(() => new InformerName("")).toThrow("informer name cannot be empty");
    const name = new InformerName("operator");
    expect(() => new InformerName("operator")).toThrow('informer name "operator" is already registered');
    const identity = name.withResource(pods);
    expect(identity).toMatchObject({ name: "operator", resource: pods, isReserved: true });
    name.release();
    expect(identity.isReserved).toBe(false);
    expect(name.withResource(pods).isReserved).toBe(false);
    const again = new InformerName("operator");
    name.release();
    expect(again.withResource(pods).isReserved).toBe(true);
    again.release();
  });

  it("INF-136 reserves a resource once per name, and not at all without a name", async () => {
    const name = new InformerName("once");
    expect(name.withResource(pods).isReserved).toBe(true);
    expect(name.withResource({ ...pods, resource: "services" }).isReserved).toBe(true);
    expect(name.withResource(pods).isReserved).toBe(false);
    name.release();

    const asked: string[] = [];
    const metrics = ({ name, resource }: ReportingInformer) => void asked.push(`${name} ${resource.resource}`);
    const client = new FakeListWatchClient();
    const informerName = new InformerName("factory");
    const factory = new InformerFactory(client, { informerName, metrics });
    factory.for(ConfigMap);
    factory.for(ConfigMap, { namespace: "web" });
    factory.for(Node);
    expect(asked).toEqual(["factory configmaps", "factory nodes"]);
    await factory.run(AbortSignal.abort());
    expect(() => new InformerName("factory").release()).not.toThrow();
    expect(() => new InformerFactory(client, { metrics })).toThrow("pass informerName");
    new InformerFactory(client).for(ConfigMap);
    expect(asked).toHaveLength(2);
  });

  it("INF-138 numbers changes, and delivers those after the start version of a watch", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("foo"));
    source.modify(pod("foo"));
    source.modify(pod("foo"));
    const versionsFrom = async (resourceVersion: string): Promise<unknown[]> => {
      const stop = new AbortController();
      const versions: unknown[] = [];
      const watching = (async () => {
        for await (const event of source.watch({ resourceVersion, signal: stop.signal }))
          versions.push(event.object.metadata.resourceVersion);
      })();
      await settle();
      stop.abort();
      await watching;
      return versions;
    };
    expect(await versionsFrom("1")).toEqual(["2", "3"]);
    expect(await versionsFrom("3")).toEqual([]);
    expect((await source.list({})).metadata.resourceVersion).toBe("3");
  });

  it("INF-139 refuses to watch from before a reset, and allows it from then on", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("foo"));
    source.modify(pod("foo"));
    source.resetWatches();
    const first = source.watch({ resourceVersion: "1" })[Symbol.asyncIterator]();
    await expect(first.next()).rejects.toThrow("too old resource version");
    const second = source.watch({ resourceVersion: "2" })[Symbol.asyncIterator]();
    source.add(pod("bar"));
    expect(await second.next()).toMatchObject({ value: { type: "ADDED" } });
    await second.return?.();
    expect(source.openWatches).toBe(0);
  });
});
