import { EventEmitter, on } from "node:events";
import { metadataOnly, unstructured } from "@kubewright/apimachinery";
import {
  channelSource,
  enqueueRequestForObject,
  funcSource,
  kindSource,
  NotSyncedError,
  type ObjectEvent,
  type Predicate,
  type SourceContext,
} from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { cachedPods, Pod, pod, runningSource } from "./cached-pods.ts";

const handler = enqueueRequestForObject();
const shown = (event: ObjectEvent): string => `${event.type} ${event.object.metadata.name}`;

describe("kind source", () => {
  it("CT-071 tells the handler of creates, updates and deletes, with the objects and the queue", async () => {
    const { pods, cache, end } = cachedPods("a");
    const events: ObjectEvent[] = [];
    const source = kindSource(cache, Pod, {
      handler: (event, enqueue) => {
        events.push(event);
        enqueue(shown(event));
      },
    });
    const { clock, queued, end: stop, hasSynced } = runningSource(source);
    while (!hasSynced()) await clock.advance(0);
    pods.modify(pod("a", { labels: { changed: "yes" } }));
    pods.delete(pod("a"));
    while (events.length < 3) await clock.advance(0);
    expect(queued.map(([request]) => request)).toEqual(["create a", "update a", "delete a"]);
    const [, updated] = events;
    if (updated?.type !== "update") throw new Error("no update was told of");
    expect([updated.old.metadata.labels, updated.object.metadata.labels]).toEqual([undefined, { changed: "yes" }]);
    await stop();
    await end();
  });

  it("refuses to be made without a cache, a kind or a handler", async () => {
    const { cache, end } = cachedPods();
    const without = (part: object) => () => {
      const parts = { cache, kind: Pod, handler, ...part };
      return kindSource(parts.cache, parts.kind, { handler: parts.handler });
    };
    const none: never = undefined as never;
    expect(without({ cache: none })).toThrow("must create a kind source with a cache");
    expect(without({ kind: none })).toThrow("must create a kind source with a kind");
    expect(without({ handler: none })).toThrow("must create a kind source with a handler");
    await end();
  });

  it("CT-073 fails when the cache does not sync", async () => {
    const { cache, end } = cachedPods();
    await end();
    const { ended } = runningSource(kindSource(cache, Pod, { handler }));
    await expect(ended).rejects.toThrow(NotSyncedError);
    await expect(ended).rejects.toThrow("cache did not sync: Pod");
  });

  it("CT-074 has synced when the informer has and its own handler is through", async () => {
    const { cache, end, clock: cacheClock } = cachedPods("a");
    const informer = cache.getInformer(Pod);
    const gate = Promise.withResolvers<void>();
    const { clock, end: stop, hasSynced } = runningSource(kindSource(cache, Pod, { handler: () => gate.promise }));
    while (!informer.hasSynced) await cacheClock.advance(0);
    await clock.advance(500);
    expect(hasSynced()).toBe(false);
    gate.resolve();
    await clock.advance(0);
    expect(hasSynced()).toBe(true);
    await stop();
    await end();
  });

  it("CT-075 asks all predicates in order, and the handler only where all pass", async () => {
    const { cache, end } = cachedPods("a", "b", "c");
    const asked: string[] = [];
    const except =
      (name: string): Predicate =>
      ({ object }) => {
        asked.push(`${object.metadata.name}: not ${name}`);
        return object.metadata.name !== name;
      };
    const predicates = [except("a"), except("b")];
    const { clock, queued, end: stop, hasSynced } = runningSource(kindSource(cache, Pod, { handler, predicates }));
    while (!hasSynced()) await clock.advance(0);
    expect(queued.map(([request]) => request)).toEqual(["web/c"]);
    expect(asked).toEqual(["a: not a", "b: not a", "b: not b", "c: not a", "c: not b"]);
    await stop();
    await end();
  });

  it("CT-076 says of a deletion that was missed that the object's last state is not known", async () => {
    const { pods, cache, end, clock: cacheClock } = cachedPods("missed", "seen");
    const deletions: ObjectEvent[] = [];
    const source = kindSource(cache, Pod, {
      handler: (event) => void (event.type === "delete" && deletions.push(event)),
    });
    const { clock, end: stop, hasSynced } = runningSource(source);
    while (!hasSynced()) await clock.advance(0);
    pods.delete(pod("seen"));
    pods.deleteUnseen(pod("missed"));
    pods.resetWatches();
    await cacheClock.advance(60_000);
    while (deletions.length < 2) await clock.advance(0);
    expect(deletions).toEqual([
      {
        type: "delete",
        object: expect.objectContaining({ metadata: expect.objectContaining({ name: "seen" }) }),
        isFinalStateUnknown: false,
      },
      {
        type: "delete",
        object: expect.objectContaining({ metadata: expect.objectContaining({ name: "missed" }) }),
        isFinalStateUnknown: true,
      },
    ]);
    await stop();
    await end();
  });

  it("describes itself by kind and group, and says where it has metadata only", async () => {
    const { cache, end } = cachedPods();
    const Deployment = unstructured({ apiVersion: "apps/v1", kind: "Deployment" });
    const described = [Pod, Deployment, metadataOnly(Deployment)].map(
      (kind) => kindSource(cache, kind, { handler }).description,
    );
    expect(described).toEqual([
      "kind source: Pod",
      "kind source: Deployment.apps",
      "kind source: metadata of Deployment.apps",
    ]);
    await end();
  });

  it("CT-083 tells of what an informer says that is there already", async () => {
    const { pods, cache, end } = cachedPods("a");
    const informer = cache.getInformer(Pod);
    const events: string[] = [];
    const source = kindSource(cache, Pod, { handler: (event) => void events.push(shown(event)) });
    const { clock, end: stop, hasSynced } = runningSource(source);
    while (!hasSynced()) await clock.advance(0);
    pods.add(pod("b"));
    pods.modify(pod("b", { labels: { changed: "yes" } }));
    pods.delete(pod("b"));
    while (events.length < 4) await clock.advance(0);
    expect(events).toEqual(["create a", "create b", "update b", "delete b"]);
    expect([cache.getInformer(Pod), pods.openWatches]).toEqual([informer, 1]);
    await stop();
    await end();
  });
});

describe("func source", () => {
  it("CT-078 is called at the start with the queue and a signal, and its error is that of the start", async () => {
    let given: { context: SourceContext; signal: AbortSignal } | undefined;
    const started = runningSource(
      funcSource((context, signal) => {
        given = { context, signal };
      }),
    );
    await started.ended;
    expect([given?.context.queue, given?.signal]).toEqual([started.queue, started.stop.signal]);
    const error = new Error("expected");
    const failing = runningSource(funcSource(() => Promise.reject(error)));
    await expect(failing.ended).rejects.toBe(error);
  });
});

describe("channel source", () => {
  /** What is emitted, one after the other. */
  async function* emitted(emitter: EventEmitter) {
    for await (const [object] of on(emitter, "change")) yield object;
  }

  it("CT-079 tells of what is sent as generic events, which predicates filter", async () => {
    const emitter = new EventEmitter();
    const events: ObjectEvent[] = [];
    const source = channelSource(emitted(emitter), {
      handler: (event) => void events.push(event),
      predicates: [({ type, object }) => type === "generic" && object.metadata.name !== "no"],
    });
    const { clock, end } = runningSource(source);
    await clock.advance(0);
    for (const name of ["a", "no", "b"]) emitter.emit("change", pod(name));
    await clock.advance(0);
    expect(events).toEqual([
      { type: "generic", object: pod("a") },
      { type: "generic", object: pod("b") },
    ]);
    await end();
  });

  it("handles later, and in order, what is sent while the handler is busy", async () => {
    const emitter = new EventEmitter();
    const events: string[] = [];
    const gate = Promise.withResolvers<void>();
    const source = channelSource(emitted(emitter), {
      handler: async (event) => {
        if (events.length === 0) await gate.promise;
        events.push(shown(event));
      },
    });
    const { clock, end } = runningSource(source);
    await clock.advance(0);
    const names = Array.from({ length: 2_000 }, (_, index) => `pod-${index}`);
    for (const name of names) emitter.emit("change", pod(name));
    await clock.advance(0);
    expect(events).toEqual([]);
    gate.resolve();
    while (events.length < names.length) await clock.advance(0);
    expect(events).toEqual(names.map((name) => `generic ${name}`));
    await end();
  });

  it("CT-081 handles after the start what was sent before it", async () => {
    const sent = [pod("a"), pod("b")];
    async function* early() {
      yield* sent;
    }
    const { clock, queued, end } = runningSource(channelSource(early(), { handler }));
    await clock.advance(0);
    expect(queued.map(([request]) => request)).toEqual(["web/a", "web/b"]);
    await end();
  });

  it("CT-082 fails at the start without anything to listen to", async () => {
    const nothing: AsyncIterable<never> = JSON.parse("null");
    await expect(runningSource(channelSource(nothing, { handler })).ended).rejects.toThrow("must specify what");
  });
});
