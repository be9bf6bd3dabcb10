import { badRequest, tooManyRequests } from "@kubewright/apimachinery";
import { FakeListWatch } from "@kubewright/cache/testing";
import { DeltaFIFO, Indexer, Reflector, type ReflectorOptions, watchListRequestFrom } from "@kubewright/cache/tools";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle } from "./pods.ts";
import { recordingLogger } from "./recording-logger.ts";
import { bookmark, failing, initialEventsEnd, page, ScriptedSource } from "./scripted-source.ts";

const streaming = { supportsWatchList: true };

/** A store that counts its replacements. */
class CountingStore extends Indexer<Pod> {
  readonly replaced: string[][] = [];

  override replace(objects: readonly Pod[], resourceVersion?: string): void {
    this.replaced.push(namesOf(objects));
    super.replace(objects, resourceVersion);
  }
}

function running(source: ScriptedSource | FakeListWatch<Pod>, options: ReflectorOptions = {}) {
  const clock = new FakeClock();
  const store = new CountingStore();
  const reflector = new Reflector<Pod>(source, store, { clock, ...options });
  const stop = new AbortController();
  const ended = reflector.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { clock, store, reflector, end };
}

describe("reflector: streaming list", () => {
  it("INF-087 streams unless it is disabled or the source declares that it cannot", async () => {
    const isStreaming = async (source: Partial<ScriptedSource>, useWatchList?: boolean): Promise<boolean> => {
      const scripted = Object.assign(new ScriptedSource(streaming), source);
      const { end } = running(scripted, { useWatchList });
      await settle();
      await end();
      return scripted.watches[0]?.sendInitialEvents === true;
    };
    expect(await isStreaming({ supportsWatchList: true })).toBe(true);
    expect(await isStreaming({ supportsWatchList: false })).toBe(false);
    expect(await isStreaming({ supportsWatchList: true }, false)).toBe(false);
    const silent = new ScriptedSource(streaming);
    const unspecified = { list: silent.list.bind(silent), watch: silent.watch.bind(silent) };
    const stop = new AbortController();
    const ended = new Reflector<Pod>(unspecified, new Indexer<Pod>(), { clock: new FakeClock() }).run(stop.signal);
    await settle();
    stop.abort();
    await ended;
    expect(silent.watches[0]?.sendInitialEvents).toBe(true);
  });

  it("INF-088 passes a source's declaration on through a wrapper, and fakes declare that they cannot", async () => {
    const fake = new FakeListWatch<Pod>();
    expect(fake.supportsWatchList).toBe(false);
    expect(new FakeListWatch<Pod>(streaming).supportsWatchList).toBe(true);
    const wrapped = { ...fake, list: fake.list.bind(fake), watch: fake.watch.bind(fake) };
    const stop = new AbortController();
    const ended = new Reflector<Pod>(wrapped, new Indexer<Pod>(), { clock: new FakeClock() }).run(stop.signal);
    await settle();
    stop.abort();
    await ended;
    expect(fake.lists).toHaveLength(1);
    expect(fake.watches.map(({ sendInitialEvents }) => sendInitialEvents)).toEqual([undefined]);
  });

  it("INF-089 starts with a single watch, which continues with later events, and no list", async () => {
    const source = new ScriptedSource({
      ...streaming,
      watches: [
        (channel) => {
          channel.push({ type: "ADDED", object: pod("a", 1) });
          channel.push(initialEventsEnd(2));
        },
      ],
    });
    const { store, end } = running(source);
    await settle();
    source.channels[0]?.push({ type: "ADDED", object: pod("b", 3) });
    await settle();
    expect(source.lists).toEqual([]);
    expect(source.watches).toHaveLength(1);
    expect(source.watches[0]).toMatchObject({
      resourceVersion: "",
      resourceVersionMatch: "NotOlderThan",
      sendInitialEvents: true,
      bookmarks: true,
      timeoutMs: expect.any(Number),
    });
    expect(store.keys()).toEqual(["web/a", "web/b"]);
    await end();
  });

  it("INF-090 replaces the store once, at the closing bookmark and its version", async () => {
    const source = new ScriptedSource(streaming);
    const { store, reflector, end } = running(source);
    await settle();
    for (const name of ["a", "b"]) source.channels[0]?.push({ type: "ADDED", object: pod(name, 1) });
    await settle();
    expect(store.replaced).toEqual([]);
    source.channels[0]?.push(initialEventsEnd(7));
    await settle();
    expect(store.replaced).toEqual([["a", "b"]]);
    expect([store.resourceVersion, reflector.lastSyncResourceVersion]).toEqual(["7", "7"]);
    await end();
  });

  it("INF-091 stores nothing without that bookmark", async () => {
    const source = new ScriptedSource(streaming);
    const { store, reflector, end } = running(source);
    await settle();
    for (let index = 0; index < 50; index++)
      source.channels[0]?.push({ type: "ADDED", object: pod(`pod-${index}`, index + 1) });
    source.channels[0]?.push(bookmark(60));
    await settle();
    expect([store.size, store.replaced.length, reflector.lastSyncResourceVersion]).toEqual([0, 0, ""]);
    await end();
  });

  it("INF-092 is not ended by a bookmark whose annotation is not true", async () => {
    const source = new ScriptedSource(streaming);
    const { store, end } = running(source);
    await settle();
    source.channels[0]?.push({ type: "ADDED", object: pod("a", 1) });
    source.channels[0]?.push(bookmark(2, { "k8s.io/initial-events-end": "false" }));
    await settle();
    expect(store.replaced).toEqual([]);
    await end();
  });

  it("INF-093 includes changes made during the initial stream", async () => {
    const source = new ScriptedSource(streaming);
    const { store, end } = running(source);
    await settle();
    for (const event of [
      { type: "ADDED", object: pod("a", 1) },
      { type: "ADDED", object: pod("b", 2) },
      { type: "MODIFIED", object: pod("a", 3) },
      { type: "DELETED", object: pod("b", 4) },
      { type: "ADDED", object: pod("c", 5) },
      initialEventsEnd(5),
    ] as const)
      source.channels[0]?.push(event);
    await settle();
    expect(store.replaced).toEqual([["a", "c"]]);
    expect(store.get("web/a")?.metadata.resourceVersion).toBe("3");
    await end();
  });

  it("INF-094 lists and watches at once if streaming is refused", async () => {
    for (const error of [badRequest("sendInitialEvents is forbidden"), new Error("anything else")]) {
      const source = new ScriptedSource({
        ...streaming,
        lists: [() => page([pod("a", 1)], "1")],
        watches: [failing(error), () => {}],
      });
      const { store, end } = running(source);
      await settle();
      expect(source.lists).toEqual([{ resourceVersion: "0", limit: 500 }]);
      expect(
        source.watches.map(({ sendInitialEvents, resourceVersion }) => [sendInitialEvents, resourceVersion]),
      ).toEqual([
        [true, ""],
        [undefined, "1"],
      ]);
      expect(store.keys()).toEqual(["web/a"]);
      await end();
    }
  });

  it("INF-095 streams again, later, after 429", async () => {
    const refusal = failing(tooManyRequests("slow down", 1));
    const source = new ScriptedSource({
      ...streaming,
      watches: [refusal, refusal, (channel) => channel.push(initialEventsEnd(1))],
    });
    const { clock, store, end } = running(source);
    await clock.advance(100);
    expect(source.watches).toHaveLength(1);
    await clock.advance(10_000);
    expect(source.watches.map(({ sendInitialEvents }) => sendInitialEvents)).toEqual([true, true, true]);
    expect(source.lists).toEqual([]);
    expect(store.replaced).toHaveLength(1);
    await end();
  });

  it("INF-096 warns while the closing bookmark is missing, and never in plain mode", async () => {
    const { logger, lines } = recordingLogger();
    const warnings = (): unknown[] =>
      lines
        .filter(({ level }) => level === "warn")
        .map(({ sinceStartMs, sinceLastEventMs }) => [sinceStartMs, sinceLastEventMs]);
    const source = new ScriptedSource(streaming);
    const stream = running(source, { logger });
    await stream.clock.advance(10_000);
    expect(warnings()).toEqual([[10_000, undefined]]);
    source.channels[0]?.push({ type: "ADDED", object: pod("a", 1) });
    await stream.clock.advance(10_000);
    expect(warnings()).toEqual([
      [10_000, undefined],
      [undefined, 10_000],
    ]);
    source.channels[0]?.push(initialEventsEnd(2));
    await stream.clock.advance(30_000);
    expect(warnings()).toHaveLength(2);
    await stream.end();

    lines.length = 0;
    const plain = running(new ScriptedSource({}), { logger });
    await plain.clock.advance(60_000);
    expect(warnings()).toEqual([]);
    await plain.end();
  });

  it("INF-097 converts list options to streaming options if both mean the same", () => {
    const streamed = { resourceVersionMatch: "NotOlderThan", bookmarks: true, sendInitialEvents: true };
    expect(watchListRequestFrom({})).toEqual({ ...streamed, resourceVersion: "" });
    expect(watchListRequestFrom({ resourceVersion: "10" })).toEqual({ ...streamed, resourceVersion: "10" });
    expect(watchListRequestFrom({ resourceVersion: "10", resourceVersionMatch: "NotOlderThan" })).toEqual({
      ...streamed,
      resourceVersion: "10",
    });
    expect(watchListRequestFrom({ resourceVersionMatch: "NotOlderThan" })).toBeUndefined();
    expect(watchListRequestFrom({ resourceVersion: "10", resourceVersionMatch: "Exact" })).toBeUndefined();
    expect(watchListRequestFrom({ continue: "token" })).toBeUndefined();
    expect(watchListRequestFrom({ limit: 500, resourceVersion: "0" })).toEqual({ ...streamed, resourceVersion: "0" });
    expect(watchListRequestFrom({ limit: 500 })).toBeUndefined();
  });

  it("INF-098 compares the streamed state with a list at the same version, for any store", async () => {
    const streamed = (channel: ScriptedSource["channels"][number]): void => {
      channel.push({ type: "ADDED", object: pod("a", 1) });
      channel.push(initialEventsEnd(2));
    };
    const transform = (object: Pod): Pod => ({ ...object, spec: { nodeName: "transformed" } });
    for (const store of [new Indexer<Pod>({ transform }), new DeltaFIFO<Pod>({ transform })]) {
      const compared = async (listed: Pod) => {
        const errors: unknown[] = [];
        const source = new ScriptedSource({ ...streaming, lists: [() => page([listed], "2")], watches: [streamed] });
        const options = {
          clock: new FakeClock(),
          checkConsistency: true,
          onError: (error: unknown) => errors.push(error),
        };
        const stop = new AbortController();
        const ended = new Reflector<Pod>(source, store, options).run(stop.signal);
        await settle(10);
        stop.abort();
        await ended;
        return { requests: source.lists, errors };
      };
      const equal = await compared(pod("a", 1));
      expect(equal.requests).toEqual([{ resourceVersion: "2", resourceVersionMatch: "Exact" }]);
      expect(equal.errors).toEqual([]);
      const different = await compared(pod("a", 2));
      expect(different.errors).toMatchObject([{ name: "InconsistentStateError", keys: ["web/a"] }]);
    }
  });
});
