import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type KubeObject, unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import type { ObjectEvent } from "./event.ts";
import { channelSource, type InformerHandler, type InformerProvider, kindSource } from "./event-sources.ts";
import { type EventHandler, enqueueRequestForObject, enqueueRequestsFromMapFunc, lowPriority } from "./handlers.ts";
import type { Request } from "./request.ts";
import type { AddOptions } from "./request-queue.ts";
import type { Source } from "./source.ts";
import { fakeClient } from "./testing/fake-client.ts";

const Pod = unstructured({ apiVersion: "v1", kind: "Pod" });
const pod = (name: string, resourceVersion = "1") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", resourceVersion },
});

/** An informer whose handlers a test calls by hand, one call after the other. */
class FakeInformers implements InformerProvider {
  readonly handlers = new Set<InformerHandler<never>>();
  readonly gate = Promise.withResolvers<void>();
  lastError: unknown;
  #delivered: Promise<unknown> = Promise.resolve();

  getInformer: InformerProvider["getInformer"] = () => {
    const lastError = (): unknown => this.lastError;
    return {
      get lastError() {
        return lastError();
      },
      addHandler: (handler) => {
        this.handlers.add(handler);
        return {
          synced: async () => {
            await this.gate.promise;
            await this.#delivered;
            return true;
          },
          remove: async () => void this.handlers.delete(handler),
        };
      },
    };
  };

  deliver(act: (handler: InformerHandler<KubeObject>) => void | Promise<void>): void {
    for (const handler of this.handlers)
      this.#delivered = this.#delivered.then(() => act(handler as InformerHandler<KubeObject>));
  }
}

const run = (source: Source) => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const added: [Request, AddOptions | undefined][] = [];
  let isSynced = false;
  const queue = { add: (request: Request, options?: AddOptions) => void added.push([request, options]) };
  const context = { queue, client: fakeClient(), log: silentLogger, clock };
  const synced = () => {
    isSynced = true;
  };
  const done = source.run({ ...context, synced }, stop.signal);
  return { clock, stop, added, done, isSynced: () => isSynced };
};

describe("kindSource", () => {
  it("turns an informer's calls into events", async () => {
    const informers = new FakeInformers();
    const events: ObjectEvent[] = [];
    const { stop, done, clock } = run(kindSource(informers, Pod, { handler: (event) => void events.push(event) }));
    await clock.advance(0);
    informers.deliver((handler) => handler.added(pod("a"), true));
    informers.deliver((handler) => handler.updated(pod("a"), pod("a", "2")));
    informers.deliver((handler) => handler.deleted(pod("a", "2"), false));
    informers.deliver((handler) => handler.deleted(pod("b"), true));
    await clock.advance(0);
    expect(events).toEqual([
      { type: "create", object: pod("a"), isInInitialList: true },
      { type: "update", object: pod("a", "2"), old: pod("a") },
      { type: "delete", object: pod("a", "2"), isFinalStateUnknown: false },
      { type: "delete", object: pod("b"), isFinalStateUnknown: true },
    ]);
    informers.gate.resolve();
    await clock.advance(0);
    stop.abort();
    await done;
    expect(informers.handlers.size).toBe(0);
  });

  it("reports the error that keeps its informer from syncing", async () => {
    const informers = new FakeInformers();
    const source = kindSource(informers, Pod, { handler: () => {} });
    expect(source.lastError).toBeUndefined();
    const { stop, done, clock } = run(source);
    await clock.advance(0);
    informers.lastError = new Error("forbidden");
    expect(source.lastError).toBe(informers.lastError);
    informers.lastError = undefined;
    expect(source.lastError).toBeUndefined();
    informers.gate.resolve();
    stop.abort();
    await done;
  });

  it("queues with a cause, and with low priority if nothing changed", async () => {
    const informers = new FakeInformers();
    const { stop, done, clock, added } = run(kindSource(informers, Pod, { handler: enqueueRequestForObject() }));
    await clock.advance(0);
    informers.deliver((handler) => handler.added(pod("initial"), true));
    informers.deliver((handler) => handler.added(pod("new"), false));
    informers.deliver((handler) => handler.updated(pod("resync"), pod("resync")));
    informers.deliver((handler) => handler.updated(pod("changed"), pod("changed", "2")));
    await clock.advance(0);
    expect(added.map(([request, options]) => [request, options?.priority])).toEqual([
      ["ns/initial", lowPriority],
      ["ns/new", 0],
      ["ns/resync", lowPriority],
      ["ns/changed", 0],
    ]);
    expect(added[3]?.[1]?.cause).toEqual({ source: "Pod", type: "update", key: "ns/changed", resourceVersion: "2" });
    informers.gate.resolve();
    stop.abort();
    await done;
  });

  it.each<[object, number, number]>([
    [{}, lowPriority, 0],
    [{ priority: undefined }, lowPriority, 0],
    [{ priority: 7, afterMs: 5 }, 7, 7],
  ])("queues a handler's request with %j", async (options, initial, news) => {
    const informers = new FakeInformers();
    const handler: EventHandler = ({ object }, enqueue) => enqueue(object.metadata.name, options);
    const { stop, done, clock, added } = run(kindSource(informers, Pod, { handler }));
    await clock.advance(0);
    informers.deliver((delivered) => delivered.added(pod("initial"), true));
    informers.deliver((delivered) => delivered.added(pod("new"), false));
    await clock.advance(0);
    expect(added).toMatchObject([
      ["initial", { ...options, priority: initial }],
      ["new", { ...options, priority: news }],
    ]);
    informers.gate.resolve();
    stop.abort();
    await done;
  });

  it("calls no handler for events that a predicate rejects", async () => {
    const informers = new FakeInformers();
    const predicates = [() => false];
    const handler = enqueueRequestForObject();
    const { stop, done, clock, added } = run(kindSource(informers, Pod, { handler, predicates }));
    await clock.advance(0);
    informers.deliver((handler) => handler.added(pod("a"), true));
    await clock.advance(0);
    expect(added).toEqual([]);
    informers.gate.resolve();
    stop.abort();
    await done;
  });

  it("has synced only when the handler has processed the objects that existed at the start", async () => {
    const informers = new FakeInformers();
    const slow = Promise.withResolvers<void>();
    const handler: EventHandler = async (_event, enqueue) => {
      await slow.promise;
      enqueue("ns/a");
    };
    const { stop, done, clock, added, isSynced } = run(kindSource(informers, Pod, { handler }));
    await clock.advance(0);
    informers.deliver((handler) => handler.added(pod("a"), true));
    informers.deliver((handler) => handler.added(pod("b"), true));
    informers.gate.resolve();
    await clock.advance(5_000);
    expect(isSynced()).toBe(false);
    slow.resolve();
    await clock.advance(0);
    expect([isSynced(), added.length]).toEqual([true, 2]);
    stop.abort();
    await done;
  });

  it("retries a failed handler without blocking the next event", async () => {
    const informers = new FakeInformers();
    let failures = 2;
    const handler: EventHandler = async ({ object }, enqueue) => {
      if (object.metadata.name === "a" && failures-- > 0) throw new Error("not yet");
      enqueue(object.metadata.name);
    };
    const { stop, done, clock, added } = run(kindSource(informers, Pod, { handler }));
    await clock.advance(0);
    informers.deliver((handler) => handler.added(pod("a"), false));
    informers.deliver((handler) => handler.added(pod("b"), false));
    await clock.advance(299);
    expect(added.map(([request]) => request)).toEqual(["b"]);
    await clock.advance(1);
    expect(added.map(([request]) => request)).toEqual(["b", "a"]);
    informers.gate.resolve();
    stop.abort();
    await done;
  });

  it("syncs even if handlers fail for objects that existed at the start", async () => {
    const informers = new FakeInformers();
    const handler = enqueueRequestsFromMapFunc(async ({ metadata }) => {
      if (metadata.name !== "good") throw new Error("no");
      return [metadata.name];
    });
    const { stop, done, clock, added, isSynced } = run(kindSource(informers, Pod, { handler }));
    await clock.advance(0);
    for (let i = 0; i < 50; i++) informers.deliver((handler) => handler.added(pod(`bad-${i}`), true));
    informers.deliver((handler) => handler.added(pod("good"), true));
    informers.gate.resolve();
    await clock.advance(0);
    expect([isSynced(), added.map(([request]) => request)]).toEqual([true, ["good"]]);
    stop.abort();
    await done;
  });

  it("stops even if a handler never ends", async () => {
    const informers = new FakeInformers();
    const { stop, done, clock } = run(kindSource(informers, Pod, { handler: () => new Promise(() => {}) }));
    await clock.advance(0);
    informers.deliver((handler) => handler.added(pod("a"), false));
    informers.gate.resolve();
    await clock.advance(0);
    stop.abort();
    await done;
    expect(clock.waiting).toBe(0);
  });

  it("needs a cache, a kind and a handler", () => {
    const none = undefined as unknown;
    const handler = enqueueRequestForObject();
    expect(() => kindSource(none as InformerProvider, Pod, { handler })).toThrow("requires a cache");
    expect(() => kindSource(new FakeInformers(), none as typeof Pod, { handler })).toThrow("requires a kind");
    expect(() => kindSource(new FakeInformers(), Pod, { handler: none as EventHandler })).toThrow("requires a handler");
  });
});

describe("channelSource", () => {
  it("delivers the iterated objects as generic events, in order", async () => {
    async function* objects() {
      yield pod("a");
      yield pod("b");
      await new Promise(() => {}); // no more events, and stopping must not wait for one
    }
    const types: string[] = [];
    const handler: EventHandler = async ({ type, object }, enqueue) => {
      types.push(type);
      enqueue(object.metadata.name);
    };
    const { stop, done, clock, added, isSynced } = run(channelSource(objects(), { handler }));
    await clock.advance(0);
    expect(isSynced()).toBe(true);
    expect(added.map(([request]) => request)).toEqual(["a", "b"]);
    expect(types).toEqual(["generic", "generic"]);
    stop.abort();
    await done;
  });

  it("calls a generator function with the signal that aborts when it is stopped", async () => {
    let ended: unknown;
    async function* objects(signal: AbortSignal) {
      yield pod("a");
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      ended = signal.reason;
    }
    const { stop, done, clock, added } = run(channelSource(objects, { handler: enqueueRequestForObject() }));
    await clock.advance(0);
    expect(added.map(([request]) => request)).toEqual(["ns/a"]);
    expect(ended).toBeUndefined();
    stop.abort("stopped");
    await done;
    await clock.advance(0);
    expect(ended).toBe("stopped");
  });

  it("keeps no object that it has delivered", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const delivered: WeakRef<object>[] = [];
    async function* objects() {
      for (let i = 0; i < 100; i++) {
        const object = pod(`p${i}`);
        delivered.push(new WeakRef(object));
        yield object;
      }
      await new Promise(() => {});
    }
    const { stop, done, clock } = run(channelSource(objects(), { handler: enqueueRequestForObject() }));
    await clock.advance(0);
    await clock.advance(0);
    expect(delivered).toHaveLength(100);
    collectGarbage();
    expect(delivered.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(10);
    stop.abort();
    await done;
  });

  it("continues after an object without metadata", async () => {
    async function* objects() {
      yield { apiVersion: "v1", kind: "Pod" } as KubeObject;
      yield pod("b");
    }
    const { done, added, stop } = run(channelSource(objects(), { handler: enqueueRequestForObject() }));
    await done;
    expect(added.map(([request]) => request)).toEqual(["ns/b"]);
    stop.abort();
  });
});
