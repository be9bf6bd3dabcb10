import { ignoreNotFound, keyOf, type Unstructured, unstructured } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { noMetrics } from "./controller-metrics.ts";
import type { ControllerOptions } from "./controller-options.ts";
import type { ReconcileContext } from "./reconciler.ts";
import { LaggingCluster } from "./testing/lagging-cluster.ts";
import { startController } from "./testing/start-controller.ts";

const Box = unstructured({ apiVersion: "shop.example.com/v1", kind: "Box" });
const box = (name: string, more: object = {}): Unstructured => ({
  apiVersion: "shop.example.com/v1",
  kind: "Box",
  metadata: { name, namespace: "web" },
  ...more,
});
const countOf = (object: unknown): number => (object as { count?: number } | undefined)?.count ?? 0;

/** The action of a reconcile for the state it reads. */
type Step = (context: ReconcileContext) => Promise<unknown>;

function start(steps: Step[], options: Partial<ControllerOptions> = {}) {
  const cluster = new LaggingCluster();
  cluster.put(box("a", { count: 1 }));
  cluster.catchUp();
  const counts = { held: 0, liveReads: 0, active: 0 };
  const results: unknown[] = [];
  const running = startController({
    client: cluster.client,
    cache: cluster,
    liveReader: cluster.live,
    metrics: () => ({
      ...noMetrics,
      held: { inc: () => void counts.held++ },
      liveReads: { inc: () => void counts.liveReads++ },
    }),
    ...options,
    reconcile: async (_request, context) => void results.push(await steps.shift()?.(context)),
  });
  return { cluster, counts, results, ...running };
}

const read: Step = async ({ client }) => countOf(await client.get(Box, "web/a").catch(ignoreNotFound));
const names: Step = async ({ client }) => (await client.list(Box, { namespace: "web" })).map(keyOf);
const raise: Step = async ({ client }) => void (await client.patch(Box, "web/a", { count: 2 } as never));

describe("a reconcile", () => {
  for (const priority of [true, false])
    it(`begins once the cache shows what the previous one wrote (priority: ${priority})`, async () => {
      const { cluster, clock, add, results, counts, stop, run } = start([raise, read], { priority });
      await clock.advance(0);
      add("web/a");
      await clock.advance(0);
      add("web/a");
      await clock.advance(9_000);
      expect(results).toEqual([undefined]);
      cluster.catchUp();
      await clock.advance(0);
      expect(results).toEqual([undefined, 2]);
      expect(counts).toMatchObject({ held: 1, liveReads: 0 });
      stop.abort();
      await run;
    });

  for (const priority of [true, false])
    it(`does not count waiting time as work (priority: ${priority})`, async () => {
      const ignored = { inc: () => {}, dec: () => {}, observe: () => {} };
      const worked: number[] = [];
      let longest = 0;
      const { cluster, clock, add, calls, stop, run } = start([raise, read], {
        priority,
        queueMetrics: () => ({
          depth: ignored,
          adds: ignored,
          queueDuration: ignored,
          retries: ignored,
          unfinishedWork: { set: () => {} },
          workDuration: { observe: (seconds) => void worked.push(seconds) },
          longestRunningProcessor: { set: (seconds) => (longest = Math.max(longest, seconds)) },
        }),
      });
      await clock.advance(0);
      add("web/a");
      await clock.advance(0);
      add("web/a");
      await clock.advance(9_000);
      cluster.catchUp();
      await clock.advance(0);
      expect([calls.length, worked, longest]).toEqual([2, [0, 0], 0]);
      stop.abort();
      await run;
    });

  it("occupies no worker while it waits, and loses none of its causes", async () => {
    const causes: unknown[] = [];
    const steps: Step[] = [raise, read, async (context) => void causes.push(...context.causes)];
    const { cluster, clock, add, calls, stop, run } = start(steps);
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    const cause = { source: "Box", type: "update", key: "web/a" } as const;
    add("web/a", { cause, priority: 5 });
    await clock.advance(0);
    add("web/other"); // the only worker is free for it
    add("web/a", { cause: { ...cause, type: "generic" } });
    await clock.advance(0);
    expect(calls).toEqual(["web/a", "web/other"]);
    cluster.catchUp();
    await clock.advance(0);
    expect(calls).toEqual(["web/a", "web/other", "web/a"]);
    expect(causes).toEqual([{ ...cause, type: "generic" }, cause]);
    stop.abort();
    await run;
  });

  it("reads live what the cache does not show in time, and continues so without waiting until it does", async () => {
    const { cluster, clock, add, results, counts, stop, run } = start([raise, read, names, read, read]);
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    add("web/a");
    await clock.advance(9_999);
    expect(results).toHaveLength(1);
    await clock.advance(1);
    expect(results).toEqual([undefined, 2]);
    for (let more = 0; more < 2; more++) {
      add("web/a");
      await clock.advance(0);
    }
    expect(results).toEqual([undefined, 2, ["web/a"], 2]);
    expect(counts).toMatchObject({ held: 1, liveReads: 3 });
    cluster.catchUp();
    add("web/a");
    await clock.advance(0);
    expect([results.at(-1), cluster.liveReads]).toEqual([2, 3]);
    stop.abort();
    await run;
  });

  it("reads live only what it wrote", async () => {
    const other: Step = async ({ client }) => countOf(await client.get(Box, "web/b"));
    const { cluster, clock, add, results, stop, run } = start([raise, other], {
      readYourOwnWrites: { timeoutMs: 100 },
    });
    cluster.cached.set("web/b", box("b", { count: 7 }));
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    add("web/a");
    await clock.advance(100);
    expect([results, cluster.liveReads]).toEqual([[undefined, 7], 0]);
    stop.abort();
    await run;
  });

  it("does not wait for a restored server, once it has read from it", async () => {
    const { cluster, clock, add, results, counts, stop, run } = start([raise, read, read, names, names]);
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    cluster.server.set("web/a", box("a", { count: 0 }));
    cluster.catchUp();
    for (const waitMs of [10_000, 0]) {
      add("web/a");
      await clock.advance(waitMs);
    }
    expect(results).toEqual([undefined, 0, 0]);
    expect(counts.liveReads).toBe(1);
    stop.abort();
    await run;
  });

  it("does not see objects that it deleted, individually or as a collection, or found deleted", async () => {
    const remove: Step = ({ client }) => client.delete(Box, "web/a").catch(ignoreNotFound);
    const removeAll: Step = ({ client }) => client.deleteCollection(Box, { namespace: "web" });
    for (const step of [remove, removeAll]) {
      const { cluster, clock, add, results, stop, run } = start([step, names]);
      await clock.advance(0);
      if (step === remove) cluster.server.delete("web/a"); // another client was first
      add("web/a");
      await clock.advance(0);
      add("web/a");
      await clock.advance(1_000);
      expect(results).toHaveLength(1);
      cluster.catchUp();
      await clock.advance(0);
      expect(results.at(-1)).toEqual([]);
      stop.abort();
      await run;
    }
  });

  it("waits until an object that it created and deleted has appeared and disappeared", async () => {
    const comeAndGo: Step = async ({ client }) => {
      await client.create(Box, box("b"));
      await client.delete(Box, "web/b");
    };
    const { cluster, clock, add, results, stop, run } = start([comeAndGo, names]);
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    add("web/a");
    cluster.cached.set("web/b", {
      ...box("b"),
      metadata: { ...box("b").metadata, resourceVersion: "2", uid: "uid-2" },
    });
    await clock.advance(1_000);
    expect(results).toHaveLength(1);
    await clock.advance(9_000);
    expect(results.at(-1)).toEqual(["web/a"]);
    stop.abort();
    await run;
  });

  it("waits for status and subresources as for the object, but not for unwatched kinds or dry runs", async () => {
    const scale = { metadata: { name: "a", namespace: "web", resourceVersion: "9" } };
    const below = { create: async () => scale, update: async () => scale, patch: async () => scale };
    const cases: [Step, number][] = [
      [({ client }) => client.status.patch(Box, "web/a", { count: 2 } as never), 1],
      [({ client }) => client.subResource("scale").update(Box, "web/a", { spec: { replicas: 1 } }), 1],
      [({ client }) => client.subResource("eviction").create(Box, "web/a", {}), 1],
      [({ client }) => client.subResource("token").create(Box, "web/a", { spec: { audiences: [] } }), 0],
      [({ client }) => client.patch(Box, "web/a", {}, { dryRun: true }), 0],
      [({ client }) => client.delete(Box, "web/a", { dryRun: true }), 0],
    ];
    for (const isWatched of [true, false])
      for (const [step, held] of cases) {
        const cluster = new LaggingCluster();
        const answer = { ...below, ...(step === cases[3]?.[0] ? { create: async () => ({}) } : {}) };
        const client = { ...cluster.client, subResource: () => answer as never };
        cluster.put(box("a"));
        cluster.catchUp();
        cluster.isWatched = isWatched;
        const { clock, add, counts, stop, run } = start([step], { client, cache: cluster, liveReader: cluster.live });
        await clock.advance(0);
        add("web/a");
        await clock.advance(0);
        add("web/a");
        await clock.advance(0);
        expect(counts.held).toBe(isWatched ? held : 0);
        stop.abort();
        await run;
      }
  });

  it("does not wait if disabled", async () => {
    const { clock, add, results, stop, run } = start([raise, read], { readYourOwnWrites: false });
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    expect(results).toEqual([undefined, 1]);
    stop.abort();
    await run;
  });

  it("releases waiting requests when the controller stops, for any reason", async () => {
    const { clock, add, results, stop, run, outcome } = start([raise, read]);
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    add("web/a");
    await clock.advance(0);
    stop.abort();
    await run;
    expect([outcome(), results.length]).toEqual(["stopped", 1]);
  });
});
