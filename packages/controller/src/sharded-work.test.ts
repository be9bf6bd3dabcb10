import { type KubeObject, keyOf, unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Controller } from "./controller.ts";
import type { ControllerOptions } from "./controller-options.ts";
import { type InformerHandler, type InformerProvider, kindSource } from "./event-sources.ts";
import { type EventHandler, enqueueRequestForObject, enqueueRequestsFromMapFunc } from "./handlers.ts";
import type { ReconcileContext } from "./reconciler.ts";
import type { HeldTerm, Sharding } from "./sharded-work.ts";
import { funcSource } from "./source.ts";
import { fakeClient } from "./testing/fake-client.ts";
import { startController } from "./testing/start-controller.ts";

const Site = unstructured({ apiVersion: "v1", kind: "Site" });
const site = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Site", metadata: { name, namespace: "ns" } });

/** Shards named by the last digit of a key. The test acquires and gives them up. */
class FakeSharding implements Sharding {
  readonly log: string[] = [];
  readonly running = new Map<number, number>();
  readonly clients = new Map<number, HeldTerm["client"]>();
  readonly #held = new Map<number, HeldTerm & { readonly lose: () => void }>();
  #acquired: ((shard: number) => void) | undefined;

  termOf(request: string): HeldTerm | undefined {
    return this.#held.get(Number(request.at(-1)));
  }

  join: Sharding["join"] = (worker) => {
    this.#acquired = worker.acquired;
    this.log.push("join");
    return { ready: () => this.log.push("ready"), leave: () => this.log.push("leave") };
  };

  acquire(...shards: number[]): void {
    for (const shard of shards) {
      const lost = new AbortController();
      const client = fakeClient();
      const count = (by: number) => () => void this.running.set(shard, (this.running.get(shard) ?? 0) + by);
      const term = { shard, signal: lost.signal, client, begin: count(1), end: count(-1) };
      this.clients.set(shard, client);
      this.#held.set(shard, { ...term, lose: () => lost.abort(new Error(`shard ${shard} was lost`)) });
      this.#acquired?.(shard);
    }
  }

  giveUp(shard: number): void {
    this.#held.delete(shard);
  }

  lose(shard: number): void {
    const term = this.#held.get(shard);
    this.#held.delete(shard);
    term?.lose();
  }
}

/** An informer with stored objects, which new handlers receive first. */
class StoredObjects implements InformerProvider {
  readonly objects = new Map<string, KubeObject>();
  readonly handlers = new Set<InformerHandler<KubeObject>>();
  fails = false;

  getInformer: InformerProvider["getInformer"] = () => ({
    addHandler: (given) => {
      const handler = given as unknown as InformerHandler<KubeObject>;
      if (this.fails) throw new Error("the informer has stopped");
      const delivered = Promise.all([...this.objects.values()].map((object) => handler.added(object, true)));
      this.handlers.add(handler);
      return {
        synced: () => delivered.then(() => true),
        remove: async () => void this.handlers.delete(handler),
      };
    },
  });

  put(...names: string[]): void {
    for (const name of names) {
      const object = site(name);
      this.objects.set(keyOf(object), object);
      for (const handler of this.handlers) void handler.added(object, false);
    }
  }

  delete(name: string): void {
    this.objects.delete(`ns/${name}`);
    for (const handler of this.handlers) void handler.deleted(site(name), false);
  }
}

async function started(options: Partial<ControllerOptions> & { readonly handler?: EventHandler } = {}) {
  const { handler = enqueueRequestForObject(), ...others } = options;
  const sharding = new FakeSharding();
  const informers = new StoredObjects();
  informers.put("a0", "a1", "b0", "b1");
  const sources = [kindSource(informers, Site, { handler })];
  const run = startController({ sources, sharding, ...others });
  await run.clock.advance(0);
  return { ...run, sharding, informers };
}

it("works on nothing before it has a shard, and runs on every replica", async () => {
  const { controller, calls, sharding, informers, clock } = await started();
  informers.put("c0");
  await clock.advance(60_000);
  expect([controller.group, calls, sharding.log, controller.queueLength]).toEqual(["others", [], ["join", "ready"], 0]);
});

it("does not keep requests of shards that it does not hold, not even delayed ones", async () => {
  const { clock } = await started({ handler: (_event, enqueue) => enqueue("ns/a0", { afterMs: 600_000 }) });
  expect(clock.waiting).toBe(0);
});

it("reconciles all objects of a shard that it acquires, and their changes, but no others", async () => {
  const { sharding, informers, calls, clock } = await started();
  sharding.acquire(0);
  await clock.advance(0);
  expect(calls.sort()).toEqual(["ns/a0", "ns/b0"]);
  informers.put("c0", "c1");
  await clock.advance(0);
  expect(calls).toEqual(["ns/a0", "ns/b0", "ns/c0"]);

  calls.length = 0;
  sharding.acquire(1);
  await clock.advance(0);
  expect(calls.sort()).toEqual(["ns/a1", "ns/b1", "ns/c1"]);
  expect(informers.handlers.size).toBe(1);
});

it("reconciles requests to which objects of other kinds are mapped, even if the requested object does not exist", async () => {
  const handler = enqueueRequestsFromMapFunc(({ metadata }) => [`ns/gone-of-${metadata.name}`]);
  const { sharding, informers, calls, clock } = await started({ handler });
  sharding.acquire(0);
  informers.delete("a0");
  await clock.advance(0);
  expect(calls.sort()).toEqual(["ns/gone-of-a0", "ns/gone-of-b0"]);
});

it("applies predicates when it acquires a shard, and retries a handler that fails", async () => {
  let failures = 1;
  const handler: EventHandler = (event, enqueue) => {
    if (event.object?.metadata.name === "b0" && failures-- > 0) throw new Error("later");
    if (event.object) enqueue(keyOf(event.object));
  };
  const informers = new StoredObjects();
  informers.put("a0", "b0", "c0");
  const predicates = [({ object }: { readonly object?: KubeObject }) => object?.metadata.name !== "a0"];
  const sources = [kindSource(informers, Site, { handler, predicates: predicates as never })];
  const sharding = new FakeSharding();
  const { clock, calls } = startController({ sources, sharding });
  await clock.advance(10_000); // the first delivery, before a shard is held
  failures = 1;
  sharding.acquire(0);
  await clock.advance(0);
  expect(calls).toEqual(["ns/c0"]);
  await clock.advance(1_000);
  expect(calls).toEqual(["ns/c0", "ns/b0"]);
  await clock.advance(10_000);
  expect(clock.waiting).toBe(0);
});

it("delivers once for shards that are acquired together", async () => {
  let events = 0;
  const handler: EventHandler = ({ object }, enqueue) => {
    events++;
    if (object) enqueue(keyOf(object));
  };
  const { sharding, calls, clock } = await started({ handler });
  events = 0;
  sharding.acquire(0, 1);
  await clock.advance(0);
  expect([events, calls.length]).toEqual([4, 4]);
});

it("drops the queued requests of a shard that it gives up, and forgets their failures", async () => {
  let fails = true;
  const { sharding, calls, clock, informers } = await started({
    reconcile: async () => {
      if (fails) throw new Error("not yet");
    },
  });
  sharding.acquire(0);
  await clock.advance(60_000);
  const before = calls.length;
  expect(before).toBeGreaterThan(10);
  sharding.giveUp(0);
  fails = false;
  informers.put("c0");
  await clock.advance(600_000);
  expect([calls.length, clock.waiting]).toEqual([before, 0]);

  sharding.acquire(0);
  fails = true;
  await clock.advance(5);
  expect(calls.length).toBe(before + 6); // each of three objects, again after the shortest delay
});

it("counts running reconciles, gives them the client of their term, and cancels them when the shard is lost", async () => {
  const contexts = new Map<string, ReconcileContext>();
  const { sharding, clock } = await started({
    maxConcurrentReconciles: 4,
    reconcile: async (request, context) => {
      contexts.set(request, context);
      const { promise, reject } = Promise.withResolvers<void>();
      context.signal.addEventListener("abort", () => reject(context.signal.reason));
      await promise;
    },
  });
  sharding.acquire(0, 1);
  await clock.advance(0);
  expect([...sharding.running]).toEqual([
    [0, 2],
    [1, 2],
  ]);
  expect(contexts.get("ns/a0")?.client).toBe(sharding.clients.get(0));
  expect(contexts.get("ns/b1")?.client).toBe(sharding.clients.get(1));
  sharding.lose(0);
  await clock.advance(0);
  expect([sharding.running.get(0), sharding.running.get(1)]).toEqual([0, 2]);
  expect(contexts.get("ns/a1")?.signal.aborted).toBe(false);
});

it("leaves when its reconciles have ended", async () => {
  const end = Promise.withResolvers<void>();
  const { sharding, clock, stop, run } = await started({ reconcile: () => end.promise });
  sharding.acquire(0);
  await clock.advance(0);
  stop.abort();
  await clock.advance(0);
  expect([sharding.log, sharding.running.get(0)]).toEqual([["join", "ready"], 1]);
  end.resolve();
  await run;
  expect([sharding.log, sharding.running.get(0)]).toEqual([["join", "ready", "leave"], 0]);
});

it("does not queue a key for a user while another replica holds its shard", async () => {
  const { controller, sharding, calls, clock } = await started({ described: { for: Site } });
  expect(controller.control("reconcile", "ns/x0", "alice")).toBe(false);
  sharding.acquire(0);
  expect(controller.control("reconcile", "ns/x0", "alice")).toBe(true);
  await clock.advance(0);
  expect(calls).toContain("ns/x0");
});

it("fails if the objects of an acquired shard cannot be delivered", async () => {
  const { sharding, informers, clock, outcome } = await started();
  informers.fails = true;
  sharding.acquire(0);
  await clock.advance(0);
  expect(String(outcome())).toContain("the informer has stopped");
});

it("fails if a request is not a key", async () => {
  const sharding = new FakeSharding();
  const controller = new Controller<{ readonly id: number }>({
    name: "numbers",
    client: fakeClient(),
    reconcile: async () => {},
    sources: [funcSource(({ queue }) => queue.add({ id: 1 }))],
    sharding,
    clock: new FakeClock(),
  });
  await expect(controller.run(new AbortController().signal)).rejects.toThrow(
    "requests of a sharded controller must be keys",
  );
});
