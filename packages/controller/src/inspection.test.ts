import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ConfigMap } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { TerminalError } from "./errors.ts";
import type { InformerHandler, InformerProvider } from "./event-sources.ts";
import { kindSource } from "./event-sources.ts";
import { enqueueRequestForObject } from "./handlers.ts";
import { generationChanged } from "./predicates.ts";
import { startController as start } from "./testing/start-controller.ts";

const cause = { source: "ConfigMap", type: "update", key: "ns/settings", resourceVersion: "7" } as const;

it("lists running and waiting requests with their causes, and the writes of a reconcile", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, stop, controller, run, add } = start({
    reconcile: async (_request, { client }) => {
      await client.create(ConfigMap, { metadata: { namespace: "ns", name: "made" } }).catch(() => {});
      await gate.promise;
    },
  });
  controller.inspect();
  await clock.advance(0);
  add("ns/a", { cause });
  await clock.advance(1_500);
  add("ns/b", { cause });
  add("ns/c", { afterMs: 4_000 });
  const { queue } = controller.inspect({ limit: 10 });
  expect(queue).toMatchObject({
    total: 3,
    isWhole: true,
    rows: [
      { key: "ns/a", state: "running", forMs: 1_500, causes: [cause] },
      { key: "ns/b", state: "ready", causes: [cause] },
      { key: "ns/c", state: "delayed", forMs: 4_000 },
    ],
  });
  expect(controller.inspect({ limit: 1, search: "/c" }).queue).toMatchObject({ total: 1, rows: [{ key: "ns/c" }] });
  expect(controller.inspect()).toMatchObject({ running: 1, failing: 0, totals: { reconciles: 0, errors: 0 } });
  gate.resolve();
  await clock.advance(0);
  const { reconciles } = controller.inspect({ limit: 10, key: "ns/a" });
  expect(reconciles).toMatchObject([{ key: "ns/a", result: "success", tookMs: 1_500, causes: [cause] }]);
  expect(reconciles?.[0]?.writes).toMatchObject([{ verb: "create", resource: "configmaps", key: "ns/made" }]);
  stop.abort();
  await run;
});

it("lists failing requests with their count and next retry, until they succeed", async () => {
  let isBroken = true;
  const { clock, stop, controller, run, add } = start({
    reconcile: () => {
      if (isBroken) throw new Error(`the device is off ${"x".repeat(5_000)}`);
    },
  });
  controller.inspect();
  await clock.advance(0);
  add("ns/a", { cause });
  await clock.advance(0);
  await clock.advance(5);
  const [row] = controller.inspect({ limit: 10 }).queue?.rows ?? [];
  expect(row).toMatchObject({ key: "ns/a", state: "failing", forMs: 10, requeues: 2, failure: { times: 2 } });
  expect(row?.causes).toEqual([cause]);
  expect(row?.failure?.error).toHaveLength(1_000);
  expect(row?.failure?.error).toMatch(/^the device is off x/);
  isBroken = false;
  await clock.advance(10);
  expect(controller.inspect({ limit: 10 })).toMatchObject({ failing: 0, queue: { total: 0 } });
  stop.abort();
  await run;
});

it("remembers a limited number of reconciles and failing keys", async () => {
  const { clock, stop, controller, run, add } = start({
    reconcile: () => {
      throw new Error("no");
    },
    rateLimiter: { when: () => 1e9, forget() {}, numRequeues: () => 0 },
  });
  controller.inspect();
  await clock.advance(0);
  for (let i = 0; i < 1_200; i++) add(`ns/${i}`);
  await clock.advance(0);
  for (let i = 0; i < 20; i++) await clock.advance(0);
  const { failing, reconciles, queue } = controller.inspect({ limit: 10_000 });
  expect([failing, reconciles?.length, queue?.total]).toEqual([1_000, 500, 1_200]);
  stop.abort();
  await run;
});

it("lists reconciles that began before the first inspection", async () => {
  const { clock, stop, controller, run, add } = start({
    reconcile: (_request, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  });
  await clock.advance(0);
  add("ns/a");
  await clock.advance(700);
  expect(controller.inspect({ limit: 1 }).queue?.rows).toMatchObject([{ key: "ns/a", state: "running", forMs: 700 }]);
  stop.abort();
  await run;
  expect(controller.inspect({ limit: 1 })).toMatchObject({
    running: 0,
    reconciles: [{ key: "ns/a", tookMs: 700, writes: [], lines: [] }],
  });
});

const described = { described: { for: ConfigMap } };

it("remembers the version that each key was reconciled at, through retries without causes", async () => {
  let isBroken = true;
  const { clock, stop, controller, run, add } = start({
    ...described,
    reconcile: () => {
      if (isBroken) throw new Error("no");
    },
  });
  controller.inspect();
  await clock.advance(0);
  const about = (key: string) => controller.inspect({ limit: 1, key }).about;
  expect(about("ns/a")).toEqual({});
  add("ns/a", { cause: { source: "ConfigMap", type: "create", key: "ns/a", resourceVersion: "99" } });
  add("ns/a", { cause: { source: "ConfigMap", type: "update", key: "ns/a", resourceVersion: "100" } });
  add("ns/a", { cause: { source: "Secret", type: "update", key: "ns/a", resourceVersion: "300" } });
  await clock.advance(0);
  expect(about("ns/a")?.last).toMatchObject({ result: "error", resourceVersion: "100" });
  isBroken = false;
  await clock.advance(20);
  expect(about("ns/a")?.last).toMatchObject({ result: "success", resourceVersion: "100" });
  stop.abort();
  await run;
});

it("names the predicate that rejected the last event of an object, until an event is accepted", async () => {
  const { clock, stop, controller, run, handler } = withInformer();
  controller.inspect();
  await clock.advance(0);
  const map = (resourceVersion: string, generation: number, data = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "ns", name: "a", resourceVersion, generation },
    data,
  });
  handler()?.added(map("1", 1), false);
  handler()?.updated(map("1", 1), map("2", 1));
  await clock.advance(0);
  const about = () => controller.inspect({ limit: 10, key: "ns/a" }).about;
  expect(about()).toMatchObject({
    last: { resourceVersion: "1" },
    dropped: { predicate: "generationChanged", resourceVersion: "2" },
  });
  handler()?.updated(map("2", 1, { a: "b", c: "d" }), map("3", 2, { a: "e", f: "g" }));
  await clock.advance(0);
  expect(about()).toEqual({ last: { atMs: clock.now(), result: "success", resourceVersion: "3" } });
  const [latest] = controller.inspect({ limit: 10, key: "ns/a" }).reconciles ?? [];
  expect(latest?.causes).toMatchObject([
    {
      type: "update",
      resourceVersion: "3",
      changes: {
        isCut: false,
        fields: [
          { path: ["data", "a"], before: "b", after: "e" },
          { path: ["data", "c"], before: "d" },
          { path: ["data", "f"], after: "g" },
        ],
      },
    },
  ]);
  stop.abort();
  await run;
});

/** Starts a controller of ConfigMaps whose events the test delivers. */
function withInformer() {
  let handler: InformerHandler<ConfigMap> | undefined;
  const cache: InformerProvider = {
    getInformer: () => ({
      addHandler(added) {
        handler = added as InformerHandler<ConfigMap>;
        return { synced: async () => true, remove: async () => {} };
      },
    }),
  };
  const options = { handler: enqueueRequestForObject(), predicates: [generationChanged] };
  const started = start({ ...described, sources: [kindSource(cache, ConfigMap, options)] });
  return { ...started, handler: () => handler };
}

it("records the ID, writes and log lines of a reconcile", async () => {
  let id = "";
  const { clock, stop, controller, run, add } = start({
    reconcile: async (_request, context) => {
      id = context.reconcileID;
      context.log.info({ size: 3 }, "resizing");
      context.log.child({ part: "disk" }).warn({ err: new Error("no space") }, "cannot resize");
      context.log.debug("not recorded");
      for (let at = 0; at < 30; at++) context.log.info(`${"x".repeat(1_000)}`);
    },
  });
  controller.inspect();
  await clock.advance(0);
  add("ns/a");
  await clock.advance(0);
  const [record] = controller.inspect({ limit: 1 }).reconciles ?? [];
  expect([record?.reconcileID, record?.lines.length, record?.lines[2]?.text.length]).toEqual([id, 20, 300]);
  expect(record?.lines.slice(0, 2)).toEqual([
    { level: "info", text: "resizing" },
    { level: "warn", text: "cannot resize: no space" },
  ]);
  stop.abort();
  await run;
});

it("records at most 50 successful reconciles a second, but all of an inspected key", async () => {
  const { clock, stop, controller, run, add } = start({});
  controller.inspect();
  await clock.advance(0);
  for (let at = 0; at < 500; at++) add(`ns/${at}`);
  await clock.advance(0);
  controller.inspect({ limit: 1, key: "ns/busy" });
  for (let at = 0; at < 200; at++) {
    add(`ns/more-${at}`);
    await clock.advance(10);
  }
  add("ns/busy");
  await clock.advance(0);
  const { reconciles = [], totals } = controller.inspect({ limit: 500 });
  expect(totals.reconciles).toBe(701);
  expect(reconciles.filter(({ key }) => key.startsWith("ns/more"))).toHaveLength(99); // in 1,990 ms
  expect(reconciles[0]?.key).toBe("ns/busy");
  expect(controller.inspect({ limit: 1, key: "ns/more-1" }).about?.last).toMatchObject({ result: "success" });
  stop.abort();
  await run;
});

it("counts reconciles that run for longer than their 99th percentile, and those that gave up", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, stop, controller, run, add } = start({
    reconcile: async (request) => {
      if (request === "ns/hangs") await gate.promise;
      if (request === "ns/wrong") throw new TerminalError(new Error("spec.size: must be positive"));
    },
  });
  controller.inspect();
  await clock.advance(0);
  for (let at = 0; at < 30; at++) add(`ns/${at}`);
  add("ns/wrong");
  await clock.advance(0);
  expect(controller.inspect()).toMatchObject({ p99Ms: 0, hung: 0, hungAfterMs: 30_000, gaveUp: 1, failing: 1 });
  expect(controller.inspect({ limit: 1, state: "failing" }).queue?.rows[0]?.failure).toMatchObject({
    isTerminal: true,
    error: "terminal error: spec.size: must be positive",
  });
  add("ns/hangs");
  add("ns/waits");
  await clock.advance(30_000);
  expect(controller.inspect().hung).toBe(0);
  expect(controller.inspect({ limit: 1, key: "ns/waits" })).toMatchObject({
    queue: { rows: [{ state: "ready" }] },
    about: { blockedBy: { key: "ns/hangs", forMs: 30_000 } },
  });
  await clock.advance(1);
  expect(controller.inspect()).toMatchObject({ hung: 1, running: 1 });
  expect(controller.inspect({ limit: 9, state: "running" }).queue).toMatchObject({
    total: 1,
    rows: [{ key: "ns/hangs" }],
  });
  expect(controller.inspect({ limit: 1, key: "ns/hangs" }).about).not.toHaveProperty("blockedBy");
  gate.resolve();
  await clock.advance(0);
  expect(controller.inspect().hung).toBe(0);
  stop.abort();
  await run;
});

it("lists the sources that have not synced", async () => {
  const synced = Promise.withResolvers<void>();
  const slow = { description: "kind source: Widget.example.com", run: () => synced.promise };
  const { clock, stop, controller, run } = start({ sources: [slow] });
  expect(controller.inspect()).toMatchObject({ hasStarted: true, hasSynced: false, unsynced: [slow.description] });
  synced.resolve();
  await clock.advance(0);
  expect(controller.inspect()).toMatchObject({ hasSynced: true, unsynced: [] });
  stop.abort();
  await run;
});

it("pauses one key, collects its causes, and reconciles it after it is resumed", async () => {
  const { clock, stop, controller, run, add, calls } = start({ ...described });
  controller.inspect();
  await clock.advance(0);
  expect(controller.control("pause", "ns/a", "ann")).toBe(true);
  add("ns/a", { cause });
  add("ns/b");
  await clock.advance(2_000);
  expect(calls).toEqual(["ns/b"]);
  expect(controller.inspect({ limit: 9 })).toMatchObject({
    paused: 1,
    queue: { rows: [{ key: "ns/a", state: "paused", forMs: 2_000, pausedBy: "ann", causes: [cause] }] },
  });
  expect(controller.control("resume", "ns/a", "ann")).toBe(true);
  await clock.advance(0);
  expect(calls).toEqual(["ns/b", "ns/a"]);
  expect(controller.inspect({ limit: 1, key: "ns/a" }).reconciles).toMatchObject([{ causes: [cause] }]);
  expect([controller.control("resume", "ns/a", "ann"), controller.inspect().paused]).toEqual([false, 0]);
  expect(controller.control("reconcile", "ns/c", "ann")).toBe(true);
  await clock.advance(0);
  expect(calls.at(-1)).toBe("ns/c");
  for (let at = 0; at < 1_000; at++) controller.control("pause", `ns/${at}`, "ann");
  expect([controller.control("pause", "ns/more", "ann"), controller.inspect().paused]).toEqual([false, 1_000]);
  stop.abort();
  await run;
});

it("carries out no actions if its requests are not the keys of a kind", async () => {
  const { stop, controller, run } = start({});
  expect(controller.control("reconcile", "ns/a", "ann")).toBe(false);
  stop.abort();
  await run;
});

it("ends the pause of a key when its object is deleted", async () => {
  const { clock, stop, controller, run, add, calls } = start({ ...described });
  controller.inspect();
  await clock.advance(0);
  const deleted = (source: string, key: string) => ({ source, type: "delete", key, resourceVersion: "9" }) as const;
  for (const key of ["ns/parked", "ns/idle", "ns/other"]) controller.control("pause", key, "ann");
  add("ns/parked");
  await clock.advance(0);
  add("ns/parked", { cause: deleted("ConfigMap", "ns/parked") });
  add("ns/idle", { cause: deleted("ConfigMap", "ns/idle") });
  add("ns/other", { cause: deleted("Secret", "ns/other") });
  add("ns/other", { cause: deleted("ConfigMap", "ns/another") });
  await clock.advance(0);
  expect(calls.toSorted()).toEqual(["ns/idle", "ns/parked"]);
  expect(controller.inspect({ limit: 9 }).queue?.rows).toMatchObject([{ key: "ns/other", state: "paused" }]);
  stop.abort();
  await run;
});

it("shows that a running key is paused", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, stop, controller, run, add } = start({ ...described, reconcile: () => gate.promise });
  await clock.advance(0);
  add("ns/a");
  await clock.advance(0);
  controller.control("pause", "ns/a", "ann");
  expect(controller.inspect({ limit: 9 }).queue?.rows).toMatchObject([{ state: "running", pausedBy: "ann" }]);
  gate.resolve();
  stop.abort();
  await run;
});

it("shows that it knows the last reconciles of only some keys", async () => {
  const { clock, stop, controller, run, add } = start({ ...described });
  controller.inspect();
  await clock.advance(0);
  const reconcile = async (from: number, to: number) => {
    for (let at = from; at < to; at++) add(`ns/${at}`);
    await clock.advance(0);
  };
  const about = (key: string) => controller.inspect({ limit: 1, key }).about;
  await reconcile(0, 10_000);
  expect(about("ns/none")).toEqual({});
  await reconcile(10_000, 10_001);
  expect(about("ns/0")).toEqual({ isIncomplete: true });
  expect(about("ns/1")).toEqual({ last: { atMs: clock.now(), result: "success" } });
  stop.abort();
  await run;
});

it("cuts long texts without retaining them, and without the user of an incomplete address", async () => {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  const { clock, stop, controller, run, add } = start({
    reconcile: (_request, { log }) => {
      log.info(`${"x".repeat(270)} to https://ann:plum-and-apple@example.com/`);
      log.info(Buffer.alloc(1_000_000, "y").toString());
    },
  });
  controller.inspect();
  await clock.advance(0);
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 30; at++) {
    add(`ns/${at}`);
    await clock.advance(0);
  }
  gc();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  const [record] = controller.inspect({ limit: 1 }).reconciles ?? [];
  expect(record?.lines[0]?.text).toBe(`${"x".repeat(270)} to https://`);
  stop.abort();
  await run;
});
