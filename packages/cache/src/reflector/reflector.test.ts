import { expired, internalError, type KubeObject } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger } from "@kubewright/log";
import { expect, it, vi } from "vitest";
import type { ListerWatcher, SourceEvent, WatchRequest } from "../source/lister-watcher.ts";
import type { ReflectorStore } from "../store/delta-fifo.ts";
import { Indexer } from "../store/indexer.ts";
import { FakeListWatch } from "../testing/fake-list-watch.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";

const pod = (name: string, resourceVersion = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", resourceVersion },
});

const broken = (): Error => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

/** Events that neither arrive nor end. */
const deafIterator: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => new Promise(() => {}) }),
};

function started(
  source: FakeListWatch,
  options: ReflectorOptions = {},
  overrides: Partial<ReflectorStore<KubeObject>> = {},
) {
  const clock = new FakeClock();
  const store = Object.assign(new Indexer<KubeObject>(), overrides);
  const reflector = new Reflector<KubeObject>(source, store, { clock, random: () => 0, ...options });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, store, reflector, end };
}

it("replaces a watch that delivers neither event nor bookmark for two minutes, without listing again", async () => {
  const source = new FakeListWatch();
  const { clock, store, end } = started(source);
  await clock.advance(119_999);
  expect(source.watches).toHaveLength(1);
  source.bookmark();
  await clock.advance(119_999);
  expect(source.watches).toHaveLength(1);
  source.addUnseen(pod("a"));
  await clock.advance(1);
  expect(source.watches).toHaveLength(2);
  expect(source.lists).toHaveLength(1);
  expect(store.keys()).toEqual(["web/a"]);
  expect(source.openWatches).toBe(1);
  await end();
});

it("notices by a stalled watch that the server went back in time, and lists what it has now", async () => {
  const source = new FakeListWatch();
  for (let changes = 0; changes < 9; changes++) source.add(pod("old"));
  const { clock, store, reflector, end } = started(source);
  await clock.advance(0);
  expect(reflector.lastSyncResourceVersion).toBe("9");
  source.restore([pod("restored")], 3);
  await clock.advance(130_000);
  expect(store.keys()).toEqual(["web/restored"]);
  expect(reflector.lastSyncResourceVersion).toBe("3");
  await end();
});

it("notices by an event that the server went back in time", async () => {
  const source = new FakeListWatch();
  for (let changes = 0; changes < 9; changes++) source.add(pod("old"));
  const { clock, store, end } = started(source);
  await clock.advance(0);
  source.restore([pod("restored")], 3);
  source.add(pod("new"));
  await clock.advance(5_000);
  expect(store.keys().sort()).toEqual(["web/new", "web/restored"]);
  await end();
});

it("notices after a lost connection that the server went back in time", async () => {
  const source = new FakeListWatch();
  for (let changes = 0; changes < 9; changes++) source.add(pod("old"));
  const { clock, store, end } = started(source);
  await clock.advance(0);
  source.restore([pod("restored")], 3);
  source.failWatches(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  await clock.advance(10_000);
  expect(store.keys()).toEqual(["web/restored"]);
  await end();
});

it("compares versions of any length, and accepts versions that are not numbers", async () => {
  const source = new FakeListWatch();
  source.add(pod("first"));
  const { clock, store, reflector, end } = started(source);
  await clock.advance(0);
  const big = "9007199254740993";
  for (const version of [big, "9007199254740994", "10000000000000000000000", "opaque", "another"]) {
    source.send({ type: "ADDED", object: pod(version.slice(0, 5), version) });
    await clock.advance(0);
    expect(reflector.lastSyncResourceVersion).toBe(version);
  }
  expect(source.lists).toHaveLength(1);
  expect(store.size).toBe(5);
  await end();
});

it("applies events that arrived together, and continues the watch if the store refuses an object", async () => {
  const source = new FakeListWatch();
  async function* inBatches(request: WatchRequest): AsyncGenerator<readonly SourceEvent<KubeObject>[]> {
    const nameless = { ...pod("nameless", "7"), metadata: { name: "" } };
    for await (const event of source.watch(request)) yield [event, { type: "ADDED", object: nameless }];
  }
  const clock = new FakeClock();
  const store = new Indexer<KubeObject>();
  const stop = new AbortController();
  const running = new Reflector<KubeObject>(
    { list: (request) => source.list(request), watch: inBatches, supportsWatchList: false },
    store,
    { clock },
  ).run(stop.signal);
  await clock.advance(0);
  source.add(pod("a"));
  source.add(pod("b"));
  await clock.advance(0);
  expect(store.keys()).toEqual(["web/a", "web/b"]);
  stop.abort();
  await running;
});

it("reports the time of the server's last response", async () => {
  const source = new FakeListWatch();
  const { clock, reflector, end } = started(source);
  expect(reflector.aliveMs).toBeUndefined();
  await clock.advance(1_000);
  expect(reflector.aliveMs).toBe(0);
  source.bookmark();
  await clock.advance(1_000);
  expect(reflector.aliveMs).toBe(1_000);
  await end();
});

it("watches again at once after a disconnect, and waits only if the server cannot be reached", async () => {
  const source = new FakeListWatch();
  const { clock, store, end } = started(source);
  await clock.advance(2_000);
  source.addUnseen(pod("a"));
  source.failWatches(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  await clock.advance(0);
  expect([source.watches.length, source.lists.length, store.size]).toEqual([2, 1, 1]);
  source.failNextWatches(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  source.failWatches(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  await clock.advance(799);
  expect(source.watches).toHaveLength(3);
  await clock.advance(1);
  expect([source.watches.length, source.lists.length]).toEqual([4, 1]);
  await end();
});

it("handles a bookmark out of order without listing again", async () => {
  const source = new FakeListWatch();
  for (let changes = 0; changes < 9; changes++) source.add(pod("a"));
  const { clock, store, reflector, end } = started(source);
  await clock.advance(0);
  source.send({ type: "BOOKMARK", object: { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: "5" } } });
  source.add(pod("b"));
  await clock.advance(5_000);
  expect([store.size, source.lists.length, reflector.lastSyncResourceVersion]).toEqual([2, 1, "10"]);
  await end();
});

it("accepts a deletion whose object has the version from before it", async () => {
  const source = new FakeListWatch();
  for (const name of ["a", "b"]) source.add(pod(name));
  const { clock, store, reflector, end } = started(source);
  await clock.advance(0);
  source.send({ type: "DELETED", object: pod("a", "1") });
  await clock.advance(0);
  expect([store.keys(), reflector.lastSyncResourceVersion]).toEqual([["web/b"], "2"]);
  await end();
});

it("calls onError for a 410 when opening a watch, but not on an open watch", async () => {
  const source = new FakeListWatch();
  source.add(pod("a"));
  const errors: unknown[] = [];
  const { clock, store, end } = started(source, { onError: (error) => errors.push(error) });
  await clock.advance(2_000);
  source.failWatches(expired("compacted under the watch"));
  await clock.advance(10_000);
  expect(errors).toEqual([]);
  source.addUnseen(pod("b"));
  source.resetWatches();
  await clock.advance(10_000);
  expect(errors).toEqual([expired("too old resource version: 1 (2)")]);
  expect([store.keys(), source.openWatches]).toEqual([["web/a", "web/b"], 1]);
  await end();
});

it("continues if the store or the program throws when a resync is due", async () => {
  const source = new FakeListWatch();
  for (const shouldResync of [
    () => true,
    () => {
      throw new Error("cannot decide");
    },
  ]) {
    const resync = (): void => {
      throw new Error("cannot resync");
    };
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line));
    const logger = createLogger({ level: "error", destination: { write } });
    const { clock, end } = started(source, { shouldResync, resyncMs: 1_000, logger }, { resync });
    await clock.advance(2_500);
    expect(lines.map(({ msg }) => msg)).toEqual(["the store failed to resync", "the store failed to resync"]);
    expect(source.openWatches).toBe(1);
    await end();
  }
});

it.each([
  [undefined, 2],
  [() => true, 2],
  [() => false, 0],
])("resyncs the store each time a resync is due and wanted", async (shouldResync, times) => {
  let resyncs = 0;
  const options = { resyncMs: 1_000, ...(shouldResync ? { shouldResync } : {}) };
  const { clock, end } = started(new FakeListWatch(), options, { resync: () => void resyncs++ });
  await clock.advance(2_500);
  expect(resyncs).toBe(times);
  await end();
});

/** A source of one object whose watches behave as `watch` defines. */
const scripted = (watch: ListerWatcher<KubeObject>["watch"], supportsWatchList = false): ListerWatcher<KubeObject> => ({
  supportsWatchList,
  list: async () => ({ items: [pod("a", "10")], metadata: { resourceVersion: "10" } }),
  watch,
});

it.each<[string, (version: number) => SourceEvent<KubeObject>[], unknown, boolean]>([
  ["each brings one event", (version) => [{ type: "MODIFIED", object: pod("a", String(version)) }], undefined, false],
  [
    "each brings one event and breaks",
    (version) => [{ type: "MODIFIED", object: pod("a", String(version)) }],
    broken(),
    false,
  ],
  [
    "each brings one event and an internal error",
    (version) => [{ type: "MODIFIED", object: pod("a", String(version)) }],
    internalError(new Error("x")),
    false,
  ],
  ["the server refuses each with an internal error", () => [], internalError(new Error("x")), false],
  ["each streams half a list", (version) => [{ type: "ADDED", object: pod("a", String(version)) }], undefined, true],
  ["each streamed list is too old", () => [], expired("too old"), true],
])("opens watches less and less often if they end at once: %s", async (_how, events, failure, streams) => {
  const clock = new FakeClock();
  const openedMs: number[] = [];
  let version = 10;
  const source = scripted(async function* () {
    openedMs.push(clock.monotonic());
    if (openedMs.length > 1_000) return void (await new Promise(() => {}));
    yield* events(++version);
    if (failure) throw failure;
  }, streams);
  const options = { clock, random: () => 0, maxInternalErrorRetryMs: 120_000 };
  const reflector = new Reflector(source, new Indexer<KubeObject>(), options);
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(60_000);
  expect(openedMs.length).toBeGreaterThan(3);
  expect(openedMs.length).toBeLessThan(20);
  stop.abort();
  await running;
});

it("replaces a few watches that are cut one after the other within a second", async () => {
  const clock = new FakeClock();
  let opened = 0;
  let version = 10;
  const source = scripted(async function* ({ signal }) {
    if (++opened > 5) await clock.sleep(3_600_000, signal);
    yield { type: "MODIFIED", object: pod("a", String(++version)) };
    throw broken();
  });
  const reflector = new Reflector(source, new Indexer<KubeObject>(), { clock, random: () => 0 });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(999);
  expect(opened).toBe(6);
  stop.abort();
  await running;
});

it("reopens a watch at once that ended after a moment, if that happens only occasionally", async () => {
  const clock = new FakeClock();
  const openedMs: number[] = [];
  let version = 10;
  const source = scripted(async function* ({ signal }) {
    openedMs.push(clock.monotonic());
    yield { type: "MODIFIED", object: pod("a", String(++version)) };
    if (openedMs.length % 2 === 0) await clock.sleep(5_000, signal);
  });
  const reflector = new Reflector(source, new Indexer<KubeObject>(), { clock });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(11_000);
  expect(openedMs).toEqual([0, 0, 5_000, 5_000, 10_000, 10_000]);
  stop.abort();
  await running;
});

it.each<[string, Partial<ListerWatcher<KubeObject>>]>([
  ["list", { list: () => new Promise(() => {}) }],
  [
    "watch",
    {
      async *watch() {
        await new Promise(() => {});
      },
    },
  ],
  [
    "streaming list",
    {
      supportsWatchList: true,
      async *watch() {
        await new Promise(() => {});
      },
    },
  ],
  ["end of a watch", { watch: () => deafIterator }],
])("ends even if the %s of its source ignores its signal", async (_what, deaf) => {
  const clock = new FakeClock();
  const source = { ...scripted(async function* () {}), ...deaf };
  const reflector = new Reflector(source, new Indexer<KubeObject>(), { clock });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(0);
  stop.abort();
  await running;
});

it("replaces a watch that is silent and ignores its signal", async () => {
  const clock = new FakeClock();
  let opened = 0;
  const source = scripted(async function* () {
    opened++;
    await new Promise(() => {});
  });
  const reflector = new Reflector(source, new Indexer<KubeObject>(), { clock });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(120_000);
  await vi.waitFor(() => expect(opened).toBe(2));
  stop.abort();
  await running;
});

it.each([true, false])("leaves out non-objects, also as bookmarks (streaming list: %s)", async (streams) => {
  const nothing = null as never;
  const lines: { level: string; msg: string }[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const clock = new FakeClock();
  const store = new Indexer<KubeObject>();
  const end = { "k8s.io/initial-events-end": "true" };
  const source: ListerWatcher<KubeObject> = {
    supportsWatchList: streams,
    list: async () => ({ items: [nothing, {} as KubeObject, pod("a", "10")], metadata: { resourceVersion: "10" } }),
    async *watch({ sendInitialEvents }) {
      yield { type: "BOOKMARK", object: nothing };
      yield { type: "ADDED", object: nothing };
      yield { type: "ADDED", object: pod("a", "10") };
      if (sendInitialEvents)
        yield {
          type: "BOOKMARK",
          object: { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: "10", annotations: end } },
        };
      yield { type: "BOOKMARK", object: nothing };
      yield { type: "MODIFIED", object: nothing };
      yield { type: "ADDED", object: pod("b", "11") };
      await new Promise(() => {});
    },
  };
  const reflector = new Reflector(source, store, { clock, logger });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(0);
  expect(store.keys().toSorted()).toEqual(["web/a", "web/b"]);
  expect(reflector.lastSyncResourceVersion).toBe("11");
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every(({ msg }) => msg === "skipped an object of an unexpected type")).toBe(true);
  stop.abort();
  await running;
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "refuses a resync period of %d ms, and names the remedy",
  (resyncMs) => {
    const create = () => new Reflector(new FakeListWatch(), new Indexer(), { resyncMs });
    expect(create).toThrow(
      new RangeError(`resyncMs must be positive and finite, got ${resyncMs}; use false for no resyncs`),
    );
  },
);

it("accepts a positive resync period, and false for no resyncs", () => {
  for (const resyncMs of [1, false] as const)
    expect(() => new Reflector(new FakeListWatch(), new Indexer(), { resyncMs })).not.toThrow();
});
