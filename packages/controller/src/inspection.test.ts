import { ConfigMap } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
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
  expect(controller.inspect({ limit: 1 })).toMatchObject({ running: 0, reconciles: [] });
});
