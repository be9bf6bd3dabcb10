import { internalError, unstructured } from "@kubewright/apimachinery";
import { Indexer, Reflector, VeryShortWatchError } from "@kubewright/cache/tools";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle } from "./pods.ts";
import { recordingLogger } from "./recording-logger.ts";
import { bookmark, failing, page, ScriptedSource, throwing } from "./scripted-source.ts";

const podKind = unstructured({ apiVersion: "v1", kind: "Pod" });

describe("reflector: start, stop and watch handling", () => {
  it("INF-057 neither lists nor watches if it is cancelled before the start", async () => {
    const source = new ScriptedSource({});
    const reflector = new Reflector(source, new Indexer<Pod>());
    await reflector.listAndWatch(AbortSignal.abort());
    await reflector.run(AbortSignal.abort());
    expect([source.lists, source.watches]).toEqual([[], []]);
  });

  it("INF-058 ends cleanly, together with its watch, when it is cancelled", async () => {
    const clock = new FakeClock();
    const source = new ScriptedSource({});
    const store = new Indexer<Pod>();
    const reflector = new Reflector(source, store, { clock });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await settle();
    source.channels[0]?.push({ type: "ADDED", object: pod("a", 11) });
    await settle();
    stop.abort();
    await running;
    expect(store.keys()).toEqual(["web/a"]);
    expect(source.channels.map(({ closed }) => closed)).toEqual([1]);
    expect(clock.waiting).toBe(0);
  });

  it("INF-059 closes a watch once, whether it is cancelled before or during reading, without reporting a failure", async () => {
    for (const isBefore of [true, false]) {
      const stop = new AbortController();
      const errors: unknown[] = [];
      const source = new ScriptedSource({ watches: [() => isBefore && stop.abort()] });
      const reflector = new Reflector(source, new Indexer<Pod>(), {
        clock: new FakeClock(),
        onError: (error) => errors.push(error),
      });
      const running = reflector.run(stop.signal);
      await settle();
      stop.abort();
      await running;
      expect(source.channels.map(({ closed }) => closed)).toEqual([1]);
      expect(errors).toEqual([]);
    }
  });

  it("INF-060 reports a watch that closes within a second without an event as very short", async () => {
    const source = new ScriptedSource({ watches: [(channel) => channel.end()] });
    const reflector = new Reflector(source, new Indexer<Pod>(), { clock: new FakeClock(), name: "pods" });
    await expect(reflector.listAndWatch(new AbortController().signal)).rejects.toThrow(VeryShortWatchError);
    expect(source.channels.map(({ closed }) => closed)).toEqual([1]);
  });

  it("INF-061 closes a watch that sends an error", async () => {
    const source = new ScriptedSource({ watches: [failing(internalError(new Error("bad")))] });
    const reflector = new Reflector(source, new Indexer<Pod>(), { clock: new FakeClock() });
    await expect(reflector.listAndWatch(new AbortController().signal)).rejects.toThrow("Internal error occurred: bad");
    expect(source.channels.map(({ closed }) => closed)).toEqual([1]);
  });

  it("INF-062 applies events, and skips objects of the wrong type without ending the watch", async () => {
    const { logger, lines } = recordingLogger();
    const source = new ScriptedSource({ lists: [() => page([pod("foo", 1), pod("bar", 1)], "10")] });
    const store = new Indexer<Pod>();
    const reflector = new Reflector(source, store, { clock: new FakeClock(), kind: podKind, logger });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await settle();
    const [watch] = source.channels;
    watch?.push({ type: "DELETED", object: pod("foo", 11) });
    watch?.push({ type: "MODIFIED", object: pod("bar", 55) });
    watch?.push({ type: "ADDED", object: { ...pod("service", 56), kind: "Service" } });
    watch?.push({ type: "ADDED", object: pod("baz", 57) });
    await settle();
    expect(store.list()).toEqual([pod("bar", 55), pod("baz", 57)]);
    expect(reflector.lastSyncResourceVersion).toBe("57");
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([{ actual: "v1, Kind=Service" }]);
    expect(watch?.closed).toBe(0);
    stop.abort();
    await running;
  });

  it("INF-063 lists at version 0 in pages of 500, then watches from the list's version with bookmarks", async () => {
    const source = new ScriptedSource({ lists: [() => page([pod("a", 1)], "10")] });
    const stop = new AbortController();
    const running = new Reflector(source, new Indexer<Pod>(), { clock: new FakeClock() }).run(stop.signal);
    await settle();
    expect(source.lists).toEqual([{ resourceVersion: "0", limit: 500 }]);
    expect(source.watches).toMatchObject([{ resourceVersion: "10", bookmarks: true }]);
    expect(source.watches[0]).not.toHaveProperty("sendInitialEvents");
    stop.abort();
    await running;
  });

  it("INF-064 fails the cycle if the list or opening the watch fails, and keeps the stored objects", async () => {
    const store = new Indexer<Pod>();
    store.add(pod("kept", 1));
    const signal = new AbortController().signal;
    const clock = new FakeClock();
    const noList = new ScriptedSource({ lists: [throwing(new Error("no list"))] });
    await expect(new Reflector(noList, store, { clock }).listAndWatch(signal)).rejects.toThrow("no list");
    expect(store.keys()).toEqual(["web/kept"]);
    const noWatch = new ScriptedSource({
      lists: [() => page([pod("listed", 3)], "3")],
      watches: [failing(new Error("no watch"))],
    });
    await expect(new Reflector(noWatch, store, { clock }).listAndWatch(signal)).rejects.toThrow("no watch");
    expect(store.keys()).toEqual(["web/listed"]);
  });

  it("INF-065 requests a watch timeout between a minimum, at least 5 minutes, and twice that", async () => {
    const timeoutsOf = async (minWatchTimeoutMs: number | undefined): Promise<number[]> => {
      const timeouts: number[] = [];
      for (const random of [0, 0.5, 0.999]) {
        const source = new ScriptedSource({});
        const stop = new AbortController();
        const options = { clock: new FakeClock(), minWatchTimeoutMs, random: () => random };
        const running = new Reflector(source, new Indexer<Pod>(), options).run(stop.signal);
        await settle();
        stop.abort();
        await running;
        timeouts.push(Math.round((source.watches[0]?.timeoutMs ?? 0) / 1_000));
      }
      return timeouts;
    };
    expect(await timeoutsOf(undefined)).toEqual([300, 450, 600]);
    expect(await timeoutsOf(1_000)).toEqual([300, 450, 600]);
    expect(await timeoutsOf(1_800_000)).toEqual([1_800, 2_700, 3_598]);
  });

  it("INF-066 advances its version with every event, including bookmarks", async () => {
    const source = new ScriptedSource({});
    const store = new Indexer<Pod>();
    const reflector = new Reflector(source, store, { clock: new FakeClock() });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await settle();
    const versions = [reflector.lastSyncResourceVersion];
    const [watch] = source.channels;
    for (const event of [
      { type: "ADDED", object: pod("foo", 10) },
      { type: "MODIFIED", object: pod("foo", 20) },
      bookmark(30),
      { type: "DELETED", object: pod("foo", 40) },
    ] as const) {
      watch?.push(event);
      await settle();
      versions.push(store.resourceVersion);
      expect(reflector.lastSyncResourceVersion).toBe(store.resourceVersion);
    }
    expect(versions).toEqual(["10", "10", "20", "30", "40"]);
    stop.abort();
    await running;
  });

  it("INF-067 expects exactly the given kind, or any without one", async () => {
    const source = new ScriptedSource({
      lists: [
        () => page([pod("a", 1), { ...pod("b", 1), apiVersion: "v2" }, { ...pod("c", 1), kind: "Service" }], "10"),
      ],
    });
    const listed = async (kind: typeof podKind | undefined): Promise<string[]> => {
      const store = new Indexer<Pod>();
      const stop = new AbortController();
      const running = new Reflector(source, store, { clock: new FakeClock(), kind }).run(stop.signal);
      await settle();
      stop.abort();
      await running;
      return namesOf(store.list());
    };
    expect(await listed(podKind)).toEqual(["a"]);
    expect(await listed(undefined)).toEqual(["a", "b", "c"]);
    const deployment = unstructured({ apiVersion: "apps/v1", kind: "Deployment" });
    expect(new Reflector(source, new Indexer<Pod>(), { kind: deployment }).typeDescription).toBe(
      "apps/v1, Kind=Deployment",
    );
    expect(new Reflector(source, new Indexer<Pod>()).typeDescription).toBe("<unspecified>");
  });

  it("INF-068 refuses tables of meta.k8s.io, and accepts those of other groups", async () => {
    const table = (apiVersion: string): Pod => ({ ...pod("t", 11), apiVersion, kind: "Table" });
    const store = new Indexer<Pod>();
    const source = new ScriptedSource({});
    const stop = new AbortController();
    const running = new Reflector(source, store, { clock: new FakeClock() }).run(stop.signal);
    await settle();
    for (const apiVersion of ["meta.k8s.io/v1", "meta.k8s.io/v1beta1"])
      source.channels[0]?.push({ type: "ADDED", object: table(apiVersion) });
    await settle();
    expect(store.size).toBe(0);
    source.channels[0]?.push({ type: "ADDED", object: table("furniture.example.com/v1") });
    await settle();
    expect(store.size).toBe(1);
    stop.abort();
    await running;

    for (const apiVersion of ["meta.k8s.io/v1", "meta.k8s.io/v1beta1"]) {
      const listing = new ScriptedSource({ lists: [() => ({ ...page<Pod>([], "1"), apiVersion, kind: "Table" })] });
      const reflector = new Reflector(listing, store, { clock: new FakeClock() });
      await expect(reflector.listAndWatch(new AbortController().signal)).rejects.toThrow("unsupported list");
    }
  });

  it("INF-069 stores all objects of all pages separately", async () => {
    const steps = [0, 1, 2, 3, 4].map((number) => () => {
      const items = Array.from({ length: 100 }, (_, index) => pod(`pod-${number * 100 + index}`, 1));
      return page(items, "10", number < 4 ? { continue: String(number + 1) } : {});
    });
    const store = new Indexer<Pod>();
    const source = new ScriptedSource({ lists: steps });
    const stop = new AbortController();
    const running = new Reflector(source, store, { clock: new FakeClock() }).run(stop.signal);
    await settle(10);
    expect(source.lists).toHaveLength(5);
    expect(store.size).toBe(500);
    for (let index = 0; index < 500; index += 2) store.delete(pod(`pod-${index}`));
    expect(store.size).toBe(250);
    expect(store.get("web/pod-1")).toEqual(pod("pod-1", 1));
    stop.abort();
    await running;
  });
});

describe("reflector: resync", () => {
  it("INF-070 resyncs every period, and never with false", async () => {
    for (const [resyncMs, expected] of [
      [1, 10],
      [false, 0],
    ] as const) {
      const clock = new FakeClock();
      const store = Object.assign(new Indexer<Pod>(), { resyncs: 0, resync: () => void store.resyncs++ });
      const stop = new AbortController();
      const running = new Reflector(new ScriptedSource({}), store, { clock, resyncMs }).run(stop.signal);
      await settle();
      await clock.advance(10);
      expect(store.resyncs).toBe(expected);
      stop.abort();
      await running;
    }
    for (const resyncMs of [0, -1, Number.NaN])
      expect(() => new Reflector(new ScriptedSource({}), new Indexer<Pod>(), { resyncMs })).toThrow(
        `resyncMs must be positive and finite, got ${resyncMs}; use false for no resyncs`,
      );
  });
});
