import { type HandlerRegistration, SharedInformer } from "@kubewright/cache";
import { FakeListWatch } from "@kubewright/cache/testing";
import { IndexerInformer } from "@kubewright/cache/tools";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { type Pod, pod, settle } from "./pods.ts";

/** Runs an informer on a fake server, and returns the events of its handler. */
function started(
  options: { source?: FakeListWatch<Pod>; transform?: (object: Pod) => Pod; resyncMs?: number | false } = {},
) {
  const { source = new FakeListWatch<Pod>(), transform, resyncMs } = options;
  const clock = new FakeClock();
  const informer = new SharedInformer<Pod>(source, { clock, transform, resyncMs });
  const received: string[] = [];
  const versions: string[] = [];
  const note = (text: string): void => {
    received.push(text);
    versions.push(informer.indexer.resourceVersion);
  };
  const registration: HandlerRegistration = informer.addHandler({
    added: (object, isInitial) => note(`+${object.metadata.name}${isInitial ? " initial" : ""}`),
    updated: (old, object) =>
      note(`~${object.metadata.name} ${old.metadata.resourceVersion}>${object.metadata.resourceVersion}`),
    deleted: (object, isUnknown) => note(`-${object.metadata.name}${isUnknown ? " unknown" : ""}`),
  });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { source, clock, informer, received, versions, registration, end };
}

describe("results of merging in the older queue, from the handlers' point of view", () => {
  it("INF-027 INF-028 INF-040 deletes objects missing from a replacement, stored or just arrived, once", async () => {
    const { source, clock, received, informer, end } = started();
    await informer.synced();
    source.add(pod("stored"));
    await settle();
    source.add(pod("queued"));
    source.add(pod("ended"));
    source.delete(pod("ended"));
    source.deleteUnseen(pod("stored"));
    source.deleteUnseen(pod("queued"));
    source.resetWatches();
    await clock.advance(5_000);
    source.resetWatches();
    await clock.advance(10_000);
    expect(received).toEqual(["+stored", "+queued", "+ended", "-ended", "-stored unknown", "-queued unknown"]);
    await end();
  });

  it("INF-031 INF-032 has synced once the initial state has been applied, including deletions", async () => {
    const empty = started();
    expect(empty.informer.hasSynced).toBe(false);
    await empty.informer.synced();
    expect(empty.informer.indexer.size).toBe(0);
    await empty.end();

    const source = new FakeListWatch<Pod>();
    for (const name of ["a", "b", "c"]) source.add(pod(name));
    const full = started({ source });
    expect(full.informer.hasSynced).toBe(false);
    await full.informer.synced();
    expect(full.informer.indexer.size).toBe(3);
    expect(full.registration.hasSynced).toBe(true);
    expect(full.received).toEqual(["+a initial", "+b initial", "+c initial"]);
    await full.end();
  });
});

it("does not report the deletion of an object that it never reported", async () => {
  const { source, received, informer, end } = started();
  await informer.synced();
  source.addUnseen(pod("a"));
  source.delete(pod("a"));
  await settle();
  expect(received).toEqual([]);
  await end();
});

it("throws if somebody changes a cached object, and keeps the state that others see", async () => {
  const source = new FakeListWatch<Pod>();
  source.add(pod("a", 0, { labels: { app: "shop" } }));
  const { informer, end } = started({ source });
  await informer.synced();
  const object = informer.lister.namespace("web").get("a");
  expect(() => Object.assign(object.metadata.labels ?? {}, { app: "changed" })).toThrow(TypeError);
  expect(informer.indexer.get("web/a")?.metadata.labels).toEqual({ app: "shop" });
  await end();
});

describe("turning queue events into store changes and callbacks", () => {
  it("INF-049 reports a replacement: deletions first, then updates and additions in the list's order", async () => {
    const source = new FakeListWatch<Pod>();
    for (const name of ["a", "b", "c"]) source.add(pod(name));
    const { received, informer, clock, end } = started({ source });
    await informer.synced();
    received.length = 0;
    source.deleteUnseen(pod("a"));
    source.modifyUnseen(pod("c"));
    source.addUnseen(pod("d"));
    source.modifyUnseen(pod("b"));
    source.resetWatches();
    await clock.advance(5_000);
    expect(received).toEqual(["-a unknown", "~b 2>7", "~c 3>5", "+d"]);
    await end();
  });

  it("INF-050 marks the additions of the first list, but not those of a later one", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const { received, clock, informer, end } = started({ source });
    await informer.synced();
    source.addUnseen(pod("b"));
    source.resetWatches();
    await clock.advance(5_000);
    expect(received).toEqual(["+a initial", "+b"]);
    await end();
  });

  it("INF-051 is at an event's version during its callback", async () => {
    const { source, received, versions, informer, end } = started();
    await informer.synced();
    source.add(pod("a"));
    source.modify(pod("a"));
    source.add(pod("b"));
    source.delete(pod("a"));
    await settle();
    expect(received).toEqual(["+a", "~a 1>2", "+b", "-a"]);
    expect(versions).toEqual(["1", "2", "3", "4"]);
    await end();
  });

  it("INF-053 never reports an older update, and reports every deletion", async () => {
    const { source, received, informer, end } = started();
    await informer.synced();
    for (let round = 0; round < 20; round++) {
      source.add(pod(`pod-${round}`));
      if (round % 3 === 0) await settle(1);
      source.modify(pod(`pod-${round}`));
      source.modify(pod(`pod-${round}`));
      if (round % 4 === 0) await settle(1);
      source.delete(pod(`pod-${round}`));
    }
    await settle();
    for (const update of received.filter((entry) => entry.startsWith("~"))) {
      const [from = 0, to = 0] = (update.split(" ")[1] ?? "").split(">").map(Number);
      expect(to).toBeGreaterThan(from);
    }
    expect(received.filter((entry) => entry.startsWith("-"))).toHaveLength(20);
    expect(informer.indexer.size).toBe(0);
    await end();
  });

  it("INF-054 stores and reports transformed objects", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const upper = (object: Pod): Pod => ({
      ...object,
      metadata: { ...object.metadata, name: object.metadata.name.toUpperCase() },
    });
    const { received, informer, end } = started({ source, transform: upper });
    await informer.synced();
    source.modify(pod("a"));
    source.delete(pod("a"));
    source.add(pod("b"));
    await settle();
    expect(received).toEqual(["+A initial", "~A 1>2", "-A", "+B"]);
    expect(informer.indexer.keys()).toEqual(["web/B"]);
    await end();
  });

  it("INF-055 ends a simple informer with its handler's error", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    const broken = new Error("handler broke");
    const added = (): void => {
      throw broken;
    };
    const informer = new IndexerInformer<Pod>(source, { added }, { clock: new FakeClock() });
    await expect(informer.run(new AbortController().signal)).rejects.toBe(broken);
    expect(source.openWatches).toBe(0);
  });

  it("INF-056 survives three concurrent producers, and knows the key of every reported object", async () => {
    const source = new FakeListWatch<Pod>();
    const received: string[] = [];
    const note = (object: Pod): void => void received.push(object.metadata.name);
    const informer = new IndexerInformer<Pod>(source, {
      added: note,
      updated: (_, object) => note(object),
      deleted: note,
    });
    expect(informer.hasSynced).toBe(false);
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    while (!informer.hasSynced) await settle(1);
    const produce = async (producer: number): Promise<void> => {
      for (let index = 0; index < 100; index++) {
        const object = pod(`${producer}-${index % 10}`);
        const exists = source.objects.some(({ metadata }) => metadata.name === object.metadata.name);
        if (!exists) source.add(object);
        else if (index % 3 === 0) source.delete(object);
        else source.modify(object);
        if (index % 5 === producer) await settle(1);
      }
    };
    await Promise.all([0, 1, 2].map(produce));
    await settle();
    expect(received).toHaveLength(300);
    expect(received.every((name) => /^[012]-\d$/.test(name))).toBe(true);
    expect(informer.indexer.keys().sort()).toEqual(source.objects.map(({ metadata }) => `web/${metadata.name}`).sort());
    stop.abort();
    await running;
  });
});
