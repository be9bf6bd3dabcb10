import {
  type HandlerRegistration,
  SharedInformer,
  type SharedInformerOptions,
  type Transform,
} from "@kubewright/cache";
import { FakeListWatch } from "@kubewright/cache/testing";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { namesOf, type Pod, pod, settle } from "./pods.ts";
import { recordingLogger } from "./recording-logger.ts";

function informerOf(options: SharedInformerOptions<Pod> = {}, source = new FakeListWatch<Pod>()) {
  const clock = new FakeClock();
  const informer = new SharedInformer<Pod>(source, { clock, ...options });
  const stop = new AbortController();
  return { clock, source, informer, stop };
}

/** Returns an object whose key can be read once, when it is queued, and not again. */
function losingItsMetadata(object: Pod): Pod {
  const { metadata } = object;
  let reads = 0;
  return Object.defineProperty(object, "metadata", {
    get: () => {
      if (reads++ > 0) throw new Error("the metadata is gone");
      return metadata;
    },
  });
}

describe("shared informer: lifecycle", () => {
  it("INF-052 reports only successful writes of a batch, and logs the number of failed ones", async () => {
    const { logger, lines } = recordingLogger();
    const source = new FakeListWatch<Pod>();
    const transform = (object: Pod): Pod =>
      object.metadata.name.startsWith("bad") ? losingItsMetadata(object) : object;
    const { informer, stop } = informerOf({ logger, transform, freeze: false }, source);
    const received: string[] = [];
    informer.addHandler({ added: (object) => void received.push(object.metadata.name) });
    const running = informer.run(stop.signal);
    await informer.synced();
    for (const name of ["a", "bad-1", "b"]) source.add(pod(name));
    await settle();
    source.add(pod("bad-2"));
    await settle();
    expect(received).toEqual(["a", "b"]);
    expect(informer.indexer.keys()).toEqual(["web/a", "web/b"]);
    const failures = lines.flatMap(({ err }) => (err as Error | undefined)?.message ?? []);
    expect(failures.every((message) => /^failed to execute \(1\/[123]\) transactions/.test(message))).toBe(true);
    expect(failures).toHaveLength(2);
    stop.abort();
    await running;
  });

  it("INF-099 reports whether it has started and stopped", async () => {
    const { informer, stop } = informerOf();
    const state = (): boolean[] => [informer.hasStarted, informer.isStopped];
    expect(state()).toEqual([false, false]);
    const running = informer.run(stop.signal);
    expect(state()).toEqual([true, false]);
    stop.abort();
    await running;
    expect(state()).toEqual([true, true]);
  });

  it("INF-100 accepts a handler at the moment it starts", async () => {
    for (const isFirst of [true, false]) {
      const source = new FakeListWatch<Pod>();
      source.add(pod("a"));
      const { informer, stop } = informerOf({}, source);
      const received: string[] = [];
      const handler = {
        added: (object: { readonly metadata: { readonly name: string } }) => void received.push(object.metadata.name),
      };
      const early = isFirst ? informer.addHandler(handler) : undefined;
      const running = informer.run(stop.signal);
      const registration = early ?? informer.addHandler(handler);
      expect(await registration.synced()).toBe(true);
      expect(received).toEqual(["a"]);
      stop.abort();
      await running;
    }
  });

  it("INF-101 accepts transform and watch error handler until it has started, and refuses them afterwards", async () => {
    const source = new FakeListWatch<Pod>();
    source.add(pod("a"));
    source.failNextLists(new Error("not now"));
    const { informer, stop, clock } = informerOf({}, source);
    const errors: unknown[] = [];
    const transform: Transform<Pod> = (object) => ({ ...object, spec: { nodeName: "transformed" } });
    informer.setTransform(transform);
    informer.setWatchErrorHandler((error) => errors.push(error));
    const running = informer.run(stop.signal);
    expect(() => informer.setTransform(transform)).toThrow("informer has already started");
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow("informer has already started");
    await clock.advance(5_000);
    expect(errors).toHaveLength(1);
    expect(informer.indexer.get("web/a")?.spec?.nodeName).toBe("transformed");
    stop.abort();
    await running;
  });

  it("INF-102 passes a failed list to the watch error handler, with the original message", async () => {
    const source = new FakeListWatch<Pod>();
    source.failNextLists(new Error("Access Denied"));
    const errors: unknown[] = [];
    const { informer, stop, clock } = informerOf({ onError: (error) => errors.push(error) }, source);
    const running = informer.run(stop.signal);
    await clock.advance(1_000);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining("Access Denied") })]);
    stop.abort();
    await running;
  });

  it("INF-103 passes transformed objects to handlers", async () => {
    const source = new FakeListWatch<Pod>();
    for (const name of ["a", "b"]) source.add(pod(name));
    const transform: Transform<Pod> = (object) => {
      object.metadata.name = object.metadata.name.toUpperCase();
      return object;
    };
    const { informer, stop } = informerOf({ transform }, source);
    const received: string[] = [];
    const registration = informer.addHandler({ added: (object) => void received.push(object.metadata.name) });
    const running = informer.run(stop.signal);
    await registration.synced();
    expect(received).toEqual(["A", "B"]);
    stop.abort();
    await running;
  });

  it("INF-104 ends when everything within it has ended, and leaves nothing behind if it never ran", async () => {
    const { informer, stop, clock, source } = informerOf();
    let finish = (): void => {};
    let hasFinished = false;
    informer.addHandler({
      added: () =>
        new Promise<void>((resolve) => {
          finish = () => {
            hasFinished = true;
            resolve();
          };
        }),
    });
    const running = informer.run(stop.signal);
    await informer.synced();
    source.add(pod("a"));
    await settle();
    stop.abort();
    let hasEnded = false;
    const ended = running.then(() => {
      hasEnded = true;
    });
    await settle();
    expect(hasEnded).toBe(false);
    finish();
    await ended;
    expect(hasFinished).toBe(true);
    expect([clock.waiting, source.openWatches]).toEqual([0, 0]);

    const idle = informerOf();
    idle.informer.addHandler({ added: () => {} });
    await settle();
    expect([idle.clock.waiting, idle.source.lists.length]).toEqual([0, 0]);
  });

  it("INF-105 reports changes made while it was disconnected to all handlers, and everything to those due for a resync", async () => {
    const source = new FakeListWatch<Pod>();
    for (const name of ["a", "b"]) source.add(pod(name));
    const { informer, stop, clock } = informerOf({ resyncMs: 1_000 }, source);
    const listening = (
      name: string,
      resyncMs: number | false,
    ): { received: Set<string>; registration: HandlerRegistration } => {
      const received = new Set<string>();
      const note = (object: { readonly metadata: { readonly name: string } }): void =>
        void received.add(object.metadata.name);
      const handler = {
        added: note,
        updated: (_: unknown, object: Parameters<typeof note>[0]) => note(object),
        deleted: note,
      };
      return { received, registration: informer.addHandler(handler, { resyncMs, name }) };
    };
    const plain = listening("plain", false);
    const resyncing = listening("resyncing", 1_000);
    const running = informer.run(stop.signal);
    await informer.synced();
    for (const { received } of [plain, resyncing]) received.clear();
    source.addUnseen(pod("c"));
    source.modifyUnseen(pod("b"));
    source.resetWatches();
    await clock.advance(5_000);
    expect([...plain.received].sort()).toEqual(["b", "c"]);
    expect([...resyncing.received].sort()).toEqual(["a", "b", "c"]);
    stop.abort();
    await running;
  });

  it("accepts a handler's options as one object", async () => {
    const { informer, stop, clock, source } = informerOf({ resyncMs: 1_000 });
    source.add(pod("a"));
    let resyncs = 0;
    const options = { resyncMs: 2_000, name: "counter" };
    const registration = informer.addHandler({ updated: () => void resyncs++ }, options);
    const running = informer.run(stop.signal);
    await informer.synced();
    await clock.advance(4_000);
    expect([registration.name, resyncs]).toEqual(["counter", 2]);
    stop.abort();
    await running;
  });

  it("INF-137 reports the queue length, the time to apply events and the store's version", async () => {
    const reported = { queued: [] as number[], latencies: [] as number[], versions: [] as number[] };
    const metrics = {
      queuedItems: { set: (count: number) => void reported.queued.push(count) },
      processingLatency: { observe: (seconds: number) => void reported.latencies.push(seconds) },
      storeResourceVersion: { set: (version: number) => void reported.versions.push(version) },
    };
    const { informer, stop, source } = informerOf({ metrics });
    const running = informer.run(stop.signal);
    await informer.synced();
    source.add(pod("a"));
    await settle();
    source.add(pod("b"));
    await settle();
    expect(reported).toEqual({ queued: [0, 0, 0], latencies: [0, 0, 0], versions: [0, 1, 2] });
    expect(namesOf(informer.indexer.list())).toEqual(["a", "b"]);
    stop.abort();
    await running;
  });
});
