import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { unreadMemberOf } from "@kubewright/lazy-json";
import { createLogger } from "@kubewright/log";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type IncomingOptions, incomingTransform } from "../body/incoming.ts";
import { ObjectDecoder } from "../body/object-decoder.ts";
import { FakeListWatch } from "../testing/fake-list-watch.ts";
import { SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

const pod = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "web", labels },
});

for (const supportsWatchList of [false, true]) {
  it(`keeps a copy and notifies handlers, ${supportsWatchList ? "streaming" : "listing"} the initial state`, async () => {
    const clock = new FakeClock();
    const source = new FakeListWatch<KubeObject>({ supportsWatchList });
    source.add(pod("a"));
    const informer = new SharedInformer(source, { clock });
    const seen: string[] = [];
    const registration = informer.addHandler({
      added: (object, isInInitialList) => void seen.push(`added ${object.metadata.name} ${isInInitialList}`),
      updated: (old, object) =>
        void seen.push(`updated ${old.metadata.resourceVersion} ${object.metadata.resourceVersion}`),
      deleted: (object, isUnknown) => void seen.push(`deleted ${object.metadata.name} ${isUnknown}`),
    });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    expect(await registration.synced()).toBe(true);
    source.add(pod("b"));
    source.modify(pod("a", { changed: "yes" }));
    source.delete(pod("b"));
    await clock.advance(0);
    source.deleteUnseen(pod("a"));
    source.addUnseen(pod("c"));
    source.resetWatches();
    await clock.advance(10_000);
    stop.abort();
    await running;
    expect(seen).toEqual([
      "added a true",
      "added b false",
      "updated 1 3",
      "deleted b false",
      "deleted a true",
      "added c false",
    ]);
    expect(
      informer.lister
        .namespace("web")
        .list()
        .map((object) => object.metadata.name),
    ).toEqual(["c"]);
    expect(source.openWatches).toBe(0);
  });
}

function followed(source: FakeListWatch<KubeObject>, options: SharedInformerOptions<KubeObject> = {}) {
  const clock = new FakeClock();
  const informer = new SharedInformer(source, { clock, ...options });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, informer, end };
}

it("notifies a handler of each object once, even if another handler added it during a call", async () => {
  const source = new FakeListWatch<KubeObject>();
  for (const name of ["a", "b", "c"]) source.add(pod(name));
  const { clock, informer, end } = followed(source);
  const received: string[] = [];
  const adding = (on: "added" | "updated" | "deleted"): void => {
    let isAdded = false;
    informer.addHandler({
      [on]: () => {
        if (isAdded) return;
        isAdded = true;
        informer.addHandler({
          added: (object, isInitial) => void received.push(`${on}: + ${object.metadata.name} ${isInitial}`),
          updated: (_, object) => void received.push(`${on}: ~ ${object.metadata.name}`),
          deleted: (object) => void received.push(`${on}: - ${object.metadata.name}`),
        });
      },
    });
  };
  const receivedAfter = async (change: () => void): Promise<string[]> => {
    received.length = 0;
    change();
    await clock.advance(0);
    return received.toSorted();
  };
  expect(await receivedAfter(() => adding("added"))).toEqual(["added: + a true", "added: + b true", "added: + c true"]);
  adding("updated");
  expect(await receivedAfter(() => source.modify(pod("a")))).toEqual([
    "added: ~ a",
    "updated: + a true",
    "updated: + b true",
    "updated: + c true",
  ]);
  adding("deleted");
  expect(await receivedAfter(() => source.delete(pod("b")))).toEqual([
    "added: - b",
    "deleted: + a true",
    "deleted: + c true",
    "updated: - b",
  ]);
  expect(await receivedAfter(() => source.delete(pod("a")))).toEqual(["added: - a", "deleted: - a", "updated: - a"]);
  await end();
});

it("delivers later changes to a handler that was added in the middle of a batch", async () => {
  const source = new FakeListWatch<KubeObject>();
  const { clock, informer, end } = followed(source);
  await clock.advance(0);
  const received: string[] = [];
  const late = { added: (object: DeepReadonly<KubeObject>) => void received.push(object.metadata.name) };
  informer.addHandler({ added: (object) => void (object.metadata.name === "b" && informer.addHandler(late)) });
  for (const name of ["a", "b", "c"]) source.add(pod(name));
  await clock.advance(0);
  expect(received).toEqual(["a", "b", "c"]);
  await end();
});

it("continues if its metrics throw, and logs that once", async () => {
  const broken = (): never => {
    throw new Error("the metrics backend is gone");
  };
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: "error",
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const source = new FakeListWatch<KubeObject>();
  source.add(pod("a"));
  const metrics = {
    queuedItems: { set: broken },
    processingLatency: { observe: broken },
    storeResourceVersion: { set: broken },
  };
  const { clock, informer, end } = followed(source, { metrics, logger });
  expect(await informer.synced()).toBe(true);
  source.add(pod("b"));
  await clock.advance(0);
  expect(informer.indexer.keys()).toEqual(["web/a", "web/b"]);
  expect(lines).toMatchObject([{ msg: "the informer's metrics threw" }]);
  await end();
});

it("rejects only the wait whose condition throws", async () => {
  const source = new FakeListWatch<KubeObject>();
  const { clock, informer, end } = followed(source);
  await clock.advance(0);
  const throwing = informer.waitUntil(() => {
    if (informer.indexer.size > 0) throw new Error("cannot decide");
    return false;
  });
  const holding = informer.waitUntil(() => informer.indexer.size > 0);
  const outcome = expect(throwing).rejects.toThrow("cannot decide");
  source.add(pod("a"));
  await outcome;
  expect(await holding).toBe(true);
  await end();
});

it("lets other work run at least every 10 ms, for any number of notifications", async () => {
  const clock = new FakeClock();
  let ms = 0;
  const running: Clock = {
    now: () => clock.now(),
    monotonic: () => ms,
    after: (afterMs, callback) => clock.after(afterMs, callback),
    sleep: (sleepMs, signal) => clock.sleep(sleepMs, signal),
  };
  const source = new FakeListWatch<KubeObject>();
  for (let index = 0; index < 100; index++) source.add(pod(`pod-${index}`));
  let longestMs = 0;
  let calls = 0;
  let isOver = false;
  let turnMs = 0;
  const everyTurn = (): void => {
    longestMs = Math.max(longestMs, ms - turnMs);
    turnMs = ms;
    if (!isOver) setImmediate(everyTurn);
  };
  setImmediate(everyTurn);
  const takingAMillisecond = { added: (): void => void [ms++, calls++] };
  const thatIsAsync = { added: async (): Promise<void> => takingAMillisecond.added() };
  const { informer, end } = followed(source, { clock: running });
  const synced = async (handler: typeof takingAMillisecond | typeof thatIsAsync): Promise<void> => {
    expect(await informer.addHandler(handler).synced()).toBe(true);
  };
  await synced(takingAMillisecond); // a list
  await synced(takingAMillisecond); // stored objects
  await synced(thatIsAsync);
  for (let index = 0; index < 100; index++) source.modify(pod(`pod-${index}`));
  informer.addHandler({ updated: takingAMillisecond.added });
  informer.addHandler({ updated: thatIsAsync.added });
  while (calls < 500) await new Promise((resolve) => setImmediate(resolve));
  expect(ms).toBe(500);
  expect(longestMs).toBeGreaterThanOrEqual(10);
  expect(longestMs).toBeLessThanOrEqual(21); // two handlers
  isOver = true;
  await end();
});

it("awaits only a thenable that a handler returns", async () => {
  const source = new FakeListWatch<KubeObject>();
  for (const name of ["a", "b"]) source.add(pod(name));
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const logger = createLogger({ level: "error", destination: { write } });
  const { clock, informer, end } = followed(source, { logger });
  const received: string[] = [];
  const returning = (name: string, result: (object: DeepReadonly<KubeObject>) => unknown): void =>
    void informer.addHandler({
      added: (object) => {
        received.push(`${name} ${object.metadata.name}`);
        return result(object) as undefined;
      },
    });
  returning("number", () => 5);
  returning("catchless", () => ({ catch: 5 }));
  // biome-ignore lint/suspicious/noThenProperty: what is tested
  returning("thenable", () => ({ then: (resolve: () => void) => resolve() }));
  returning("throwing", ({ metadata }) => {
    if (metadata.name === "a") throw new Error("cannot handle this");
  });
  await clock.advance(999);
  expect(received.toSorted()).toEqual([
    "catchless a",
    "catchless b",
    "number a",
    "number b",
    "thenable a",
    "thenable b",
    "throwing a",
  ]);
  await clock.advance(1);
  expect(received.at(-1)).toBe("throwing b");
  expect(lines).toMatchObject([{ msg: "event handler threw", notification: "added", object: "web/a" }]);
  await end();
});

it("handles the next object if a handler throws a value that the logger cannot show", async () => {
  const source = new FakeListWatch<KubeObject>();
  for (const name of ["a", "b"]) source.add(pod(name));
  const lines: Record<string, unknown>[] = [];
  const fail = (): never => {
    throw Object.freeze(new Error("frozen"));
  };
  const destination = { write: (line: string): void => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ level: "error", destination }).child({}, { serializers: { err: fail } });
  const { clock, informer, end } = followed(source, { logger });
  const received: string[] = [];
  const handling = (name: string) => ({
    added: (object: DeepReadonly<KubeObject>) => {
      received.push(`${name} ${object.metadata.name}`);
      fail();
    },
  });
  informer.addHandler(handling("one"));
  informer.addHandler(handling("two"), { logger });
  await clock.advance(1_000);
  expect(received.toSorted()).toEqual(["one a", "one b", "two a", "two b"]);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject({ msg: "event handler threw", object: "web/a", err: { message: "frozen" } });
  await end();
});

it("treats an undefined option like a missing one", async () => {
  const source = new FakeListWatch<KubeObject>();
  source.add(pod("a"));
  const backoff = { baseMs: undefined, maxMs: undefined, factor: undefined, jitter: undefined, resetMs: undefined };
  const { clock, informer, end } = followed(source, {
    name: undefined,
    kind: undefined,
    indexers: undefined,
    resyncMs: undefined,
    metrics: undefined,
    transform: undefined,
    freeze: undefined,
    managedFields: undefined,
    deferBodies: undefined,
    useWatchList: undefined,
    checkConsistency: undefined,
    pageSize: undefined,
    minWatchTimeoutMs: undefined,
    stallMs: undefined,
    maxInternalErrorRetryMs: undefined,
    onError: undefined,
    initialEventsWarningMs: undefined,
    logger: undefined,
    random: () => 0,
    backoff: { ...backoff, random: undefined },
  });
  informer.addHandler({}, { name: undefined, resyncMs: undefined, logger: undefined });
  expect(await informer.synced()).toBe(true);
  expect(source.watches.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000]);
  source.failNextLists(new Error("not now"));
  source.resetWatches();
  source.add(pod("b"));
  await clock.advance(300_000);
  expect(informer.lister.namespace("web").list()).toHaveLength(2);
  await end();
});

it("reports updates whose versions a transform drops, and unchanged objects as a resync", async () => {
  const source = new FakeListWatch<KubeObject>();
  source.add(pod("a"));
  const clock = new FakeClock();
  const transform = (object: KubeObject): KubeObject => {
    delete object.metadata.resourceVersion;
    return object;
  };
  const informer = new SharedInformer(source, { clock, transform });
  const received: unknown[] = [];
  informer.addHandler({ updated: (_, { metadata }) => void received.push(metadata.labels) });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.synced();
  const { metadata } = source.modify(pod("a", { changed: "yes" }));
  await clock.advance(0);
  expect(received).toEqual([{ changed: "yes" }]);
  expect(informer.indexer.resourceVersion).toBe(metadata.resourceVersion);
  source.resetWatches();
  await clock.advance(10_000);
  expect(received).toHaveLength(1);
  stop.abort();
  await running;
});

const long = "x".repeat(50);
const thing = () => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name: "a",
    namespace: "web",
    uid: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "shop" },
    annotations: { long },
    finalizers: ["a/b"],
    ownerReferences: [{ apiVersion: "v1", kind: "Owner", name: "o", uid: "2" }],
    managedFields: [
      { manager: "kubectl", fieldsV1: { f: {} } },
      { manager: "ours", fieldsV1: { f: {} } },
    ],
  },
  spec: { list: [{ text: long }, [1, { deep: {} }]], none: null },
  short: { a: [1] },
  empty: {},
});
type Thing = ReturnType<typeof thing>;
type Options = IncomingOptions<KubeObject>;

/** Paths of everything in a value that can be modified. */
function changeable(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, part]) => changeable(part, `${path}.${name}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}
const incoming = (object: object, options: Options) =>
  incomingTransform<KubeObject>(options)(object as never) as unknown as Thing;

describe.each(["production", "test"])("an incoming object with NODE_ENV=%s", (mode) => {
  beforeEach(() => void vi.stubEnv("NODE_ENV", mode));
  afterEach(() => void vi.unstubAllEnvs());

  it.each<[string, Options]>([
    ["none", {}],
    ["all", { managedFields: "all" }],
    ["some", { managedFields: { of: "ours" } }],
  ])("is frozen in depth without being read, with %s of its managedFields", (_, options) => {
    const decoder = new ObjectDecoder(options.managedFields, undefined, true);
    const object = incoming(decoder.decode(Buffer.from(JSON.stringify(thing())), 0) ?? {}, options);
    expect([object, object.metadata].every((part) => Object.isFrozen(part))).toBe(true);
    expect(unreadMemberOf(object, 0)).toBeDefined();
    expect(unreadMemberOf(object.metadata, 0)).toBeDefined();
    expect(changeable(object)).toEqual([]);
    expect(object).toMatchObject({ spec: thing().spec, short: thing().short });
    expect(object.metadata.managedFields?.map(({ manager }) => manager)).toEqual(
      { none: undefined, all: ["kubectl", "ours"], some: ["ours"] }[_],
    );
  });

  it("is frozen in depth when it was parsed as a whole", () => {
    expect(changeable(incoming(thing(), {}))).toEqual([]);
  });

  it("is frozen in depth after a transform, whatever that returns", () => {
    const shallow: Options = { transform: (object) => Object.freeze({ ...object, spec: { a: [{}] } }) };
    expect(changeable(incoming(thing(), shallow))).toEqual([]);
    const circle: Options = {
      transform: (object) => {
        const node: { self?: object; part: object } = { part: {} };
        node.self = Object.freeze([node]);
        return Object.assign(object, { spec: Object.freeze(node) });
      },
    };
    const { spec } = incoming(thing(), circle) as unknown as { spec: { self: object[]; part: object } };
    expect([spec, spec.self, spec.part, spec.self[0]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it.each([new Map([["a", 1]]), new Set([1]), new Date(0), new Uint8Array(1), new Uint8Array(0)])(
    "is refused if it contains a value that cannot be frozen: %o",
    (part) => {
      const transform: Options["transform"] = (object) => Object.assign(object, { spec: { part } });
      expect(() => incoming(thing(), { transform })).toThrow(
        `cannot freeze the object: it contains a ${part.constructor.name}, which remains modifiable; use only plain objects, arrays and primitive values`,
      );
    },
  );

  it("is left unfrozen if requested", () => {
    const decoder = new ObjectDecoder(undefined, undefined, false);
    const object = incoming(decoder.decode(Buffer.from(JSON.stringify(thing())), 0) ?? {}, { freeze: false });
    object.metadata.name = "b";
    object.spec.list.pop();
    object.short.a.push(2);
    expect(object).toMatchObject({ metadata: { name: "b" }, spec: { list: [{ text: long }] }, short: { a: [1, 2] } });
  });
});
