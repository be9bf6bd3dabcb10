import { EventEmitter, on } from "node:events";
import { metadataOnly, unstructured } from "@kubewright/apimachinery";
import {
  channelSource,
  enqueueRequestForObject,
  funcSource,
  kindSource,
  type ObjectEvent,
  type Predicate,
  type SourceContext,
  SourceNotSyncedError,
} from "@kubewright/controller";
import { describe, expect, it } from "vitest";
import { cachedPods, Pod, pod, runningSource } from "./cached-pods.ts";

const handler = enqueueRequestForObject();
const shown = (event: ObjectEvent): string => `${event.type} ${event.object.metadata.name}`;

describe("kind source", () => {
  it("CT-071 calls the handler for creates, updates and deletes, with the objects and the queue", async () => {
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
    if (updated?.type !== "update") throw new Error("no update was reported");
    expect([updated.old.metadata.labels, updated.object.metadata.labels]).toEqual([undefined, { changed: "yes" }]);
    await stop();
    await end();
  });

  it("refuses to be created without a cache, a kind or a handler", async () => {
    const { cache, end } = cachedPods();
    const without = (part: object) => () => {
      const parts = { cache, kind: Pod, handler, ...part };
      return kindSource(parts.cache, parts.kind, { handler: parts.handler });
    };
    const none: never = undefined as never;
    expect(without({ cache: none })).toThrow("a kind source requires a cache");
    expect(without({ kind: none })).toThrow("a kind source requires a kind");
    expect(without({ handler: none })).toThrow("a kind source requires a handler");
    await end();
  });

  it("CT-073 fails if the cache does not sync", async () => {
    const { cache, end } = cachedPods();
    await end();
    const { ended } = runningSource(kindSource(cache, Pod, { handler }));
    await expect(ended).rejects.toThrow(SourceNotSyncedError);
    await expect(ended).rejects.toThrow("cache did not sync: Pod");
  });

  it("CT-074 has synced when the informer has synced and its own handler has processed everything", async () => {
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

  it("CT-075 evaluates all predicates in order, and calls the handler only if all pass", async () => {
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

  it("CT-076 reports that the last state is unknown if a deletion was missed", async () => {
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

  it("describes itself by kind and group, and mentions metadata only", async () => {
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

  it("CT-083 passes on that an informer reports an object as existing", async () => {
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
  it("CT-078 is called at the start with the queue and a signal, and its error fails the start", async () => {
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
  /** Yields the emitted values, one after the other. */
  async function* emitted(emitter: EventEmitter) {
    for await (const [object] of on(emitter, "change")) yield object;
  }

  it("CT-079 reports sent objects as generic events, which predicates filter", async () => {
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

  it("handles objects sent while the handler is busy later, and in order", async () => {
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

  it("CT-081 handles objects sent before the start after it", async () => {
    const sent = [pod("a"), pod("b")];
    async function* early() {
      yield* sent;
    }
    const { clock, queued, end } = runningSource(channelSource(early(), { handler }));
    await clock.advance(0);
    expect(queued.map(([request]) => request)).toEqual(["web/a", "web/b"]);
    await end();
  });

  it("CT-082 fails at the start without a channel", async () => {
    const nothing: AsyncIterable<never> = JSON.parse("null");
    await expect(runningSource(channelSource(nothing, { handler })).ended).rejects.toThrow(
      "requires an async iterable",
    );
  });
});
