import { describedResource } from "@kubewright/apimachinery";
import { ConfigMap, Deployment } from "@kubewright/client/kinds";
import type { QueueRow } from "@kubewright/controller";
import { expect, it } from "vitest";
import { type AttentionParts, attention } from "./attention.ts";
import type { ShardState } from "./shards.ts";

const atMs = Date.parse("2026-11-27T19:00:00Z");
const healthy: AttentionParts["controllers"][number] = {
  ...{ name: "site", queueLength: 0, running: 0, held: 0, failing: 0, gaveUp: 0, paused: 0, hung: 0, unsynced: [] },
  ...{ maxConcurrentReconciles: 1, hasStarted: true, hasSynced: true, totals: { reconciles: 9, errors: 0, busyMs: 9 } },
  kinds: [describedResource(ConfigMap), describedResource(Deployment)],
};
const fresh = { name: "apps/v1, Kind=Deployment", hasSynced: true, ageMs: 100, objects: 3, isDelivering: false };
const parts: AttentionParts = {
  ...{ atMs, uptimeMs: 3_600_000, leadership: { isElected: false, leader: "" }, controllers: [healthy] },
  ...{ caches: [fresh], certificates: [], hasWebhooks: false, permissions: { checked: [], left: 0 }, panels: [] },
  shards: undefined,
  waitedMs: () => 0,
  rowsOf: async () => [],
};
const items = async (changed: Partial<AttentionParts>) => (await attention({ ...parts, ...changed })).items;
const controller = (changed: Partial<typeof healthy>) => ({ controllers: [{ ...healthy, ...changed }] });
const row = (key: string, more: Partial<QueueRow> = {}): QueueRow => ({
  ...{ key, state: "failing", causes: [], requeues: 1, ...more },
});

it("contains nothing if everything works", async () => {
  expect(await attention(parts)).toEqual({ items: [], total: 0 });
});

it("contains kinds that are not served, and the controllers that need them", async () => {
  const unserved = { ...fresh, hasSynced: false, isUnserved: true, lastError: "no match" };
  const waiting = controller({ unsynced: ["kind source: Deployment.apps"], hasSynced: false });
  expect(await items({ caches: [unserved], uptimeMs: 0, ...waiting })).toEqual([
    {
      ...{ tone: "bad", to: ["overview"] },
      text: "The API server does not serve apps/v1, Kind=Deployment: install its CRD; needed by site",
    },
    {
      ...{ tone: "bad", to: ["controllers", "site"] },
      text: "site does not reconcile, because it is waiting for kind source: Deployment.apps",
    },
  ]);
});

it("does not mistake a kind for another whose name begins with its name", async () => {
  const name = "apps/v1, Kind=DeploymentSet";
  const unserved = { ...fresh, name, hasSynced: false, isUnserved: true };
  const waiting = controller({ unsynced: ["kind source: Deployment.apps"], hasSynced: false });
  expect(await items({ caches: [unserved], uptimeMs: 0, ...waiting })).toEqual([
    { tone: "bad", to: ["overview"], text: `The API server does not serve ${name}: install its CRD` },
  ]);
});

it("contains caches that have not synced, and watches that are dead or interrupted", async () => {
  const texts = async (changed: object, more = {}) =>
    (await items({ caches: [{ ...fresh, ...changed }], ...more })).map(({ text }) => text);
  expect(await texts({ ageMs: 150_000 })).toEqual([]);
  expect(await texts({ ageMs: 180_000 })).toEqual([
    "The watch on apps/v1, Kind=Deployment has received nothing for 3 min",
  ]);
  expect(await texts({ ageMs: 29_000, lastError: "refused" })).toEqual([]);
  expect(await texts({ ageMs: 40_000, lastError: "refused" })).toEqual([
    "The watch on apps/v1, Kind=Deployment has received nothing for 40 s: refused",
  ]);
  expect(await texts({ hasSynced: false, lastError: "forbidden" })).toEqual([
    "The cache for apps/v1, Kind=Deployment has not synced: forbidden",
  ]);
  expect(await texts({ hasSynced: false }, { uptimeMs: 10_000 })).toEqual([]);
});

it("contains hung reconciles, with what is usual", async () => {
  const rowsOf = async () => [row("a/slow", { state: "running", forMs: 300_000 })];
  expect(await items({ ...controller({ hung: 1, p99Ms: 40 }), rowsOf })).toEqual([
    {
      ...{ tone: "bad", to: ["objects", "site", "a/slow"] },
      text: "site: 1 reconcile hangs; a/slow has been running for 5 min; 99% take less than 40 ms",
    },
  ]);
  expect((await items({ ...controller({ hung: 2 }), rowsOf: async () => undefined }))[0]?.text).toBe(
    "site: 2 reconciles hang",
  );
});

it("contains controllers that are stuck", async () => {
  const stuck = controller({ queueLength: 12 });
  expect(await items({ ...stuck, waitedMs: () => 59_000 })).toEqual([]);
  expect(await items({ ...stuck, waitedMs: () => 120_000 })).toMatchObject([
    { text: "site is stuck: 12 requests wait, and no reconcile has ended for 2 min" },
  ]);
  // Before a replica becomes the leader, its queues may fill.
  expect(await items({ ...controller({ queueLength: 12, hasStarted: false }), waitedMs: () => 120_000 })).toEqual([]);
});

it("contains failing objects, with an error without secrets if the viewer may see it", async () => {
  const failure = { error: "token=x refused", times: 3, sinceMs: 0, lastMs: 0, isTerminal: false, causes: [] };
  const failing = controller({ failing: 3, gaveUp: 1 });
  expect(await items({ ...failing, rowsOf: async () => [row("a/b", { failure })] })).toEqual([
    {
      ...{ tone: "bad", to: ["controllers", "site", "failing"] },
      text: "site: 3 objects fail, 1 of them not retried; a/b: token=(hidden) refused",
    },
  ]);
  expect(await items({ ...failing, rowsOf: async () => undefined })).toMatchObject([
    { text: "site: 3 objects fail, 1 of them not retried" },
  ]);
});

it("contains paused objects, missing permissions, and a missing leader", async () => {
  const missing = { role: "manager", namespace: "", names: [], isAllowed: false };
  const checked = ["get", "list", "watch", "patch"].map((verb) => ({
    ...{ ...missing, verb, resource: "pods", group: "", isAllowed: verb === "get" },
  }));
  expect(
    await items({
      ...controller({ paused: 1 }),
      rowsOf: async () => [row("a/b", { state: "paused" })],
      permissions: { checked, left: 0 },
      leadership: { isElected: true, leader: "" },
    }),
  ).toEqual([
    { tone: "bad", to: ["rbac"], text: "The program lacks 3 permissions: list pods, watch pods, patch pods" },
    { tone: "bad", to: ["overview"], text: "No replica is the leader" },
    { tone: "warning", to: ["controllers", "site", "paused"], text: "site: 1 object is paused: a/b" },
  ]);
});

it("contains shards that no replica works on, and moves that wait for a reconcile", async () => {
  const shard = { shard: 0, holder: "a", state: "held", forMs: 900_000, running: 1, transitions: 0 } as const;
  const state = { identity: "a", replicas: ["a"], moves: { acquired: 0, released: 0, lost: 0 }, listedMs: 100 };
  const texts = async (
    shards: readonly (Partial<ShardState> & { shard: number })[],
    more = {},
    uptimeMs = 3_600_000,
  ) => {
    const all = shards.map((one) => ({ ...shard, ...one }));
    return (await items({ shards: { ...state, shards: all, ...more }, uptimeMs })).map(
      ({ tone, text }) => `${tone}: ${text}`,
    );
  };
  const free = [0, 1, 2, 3].map((number) => ({ shard: number, state: "free", forMs: 31_000 }) as const);
  expect(await texts([shard, { shard: 1, state: "elsewhere" }])).toEqual([]);
  expect(await texts(free)).toEqual(["bad: No replica processes the shards: 0, 1, 2 and 1 more"]);
  expect(await texts([{ shard: 7, state: "acquiring" }])).toEqual(["bad: No replica processes the shards: 7"]);
  expect(await texts([{ shard: 7, state: "free", forMs: undefined }])).toEqual([
    "bad: No replica processes the shards: 7",
  ]);
  expect(await texts([{ shard: 7, state: "free", forMs: undefined }], {}, 29_000)).toEqual([]);
  expect(await texts([{ shard: 7, state: "free", forMs: 29_000 }])).toEqual([]);
  expect(await texts(free, { listedMs: undefined })).toEqual([]);
  expect(await texts(free, { error: "refused", listedMs: 40_000 })).toEqual([
    "bad: The Leases of the shards have not been read for 40 s: refused",
  ]);
  expect(await texts([shard], { error: "refused", listedMs: 10_000 })).toEqual([]);
  expect(await texts([{ shard: 7, state: "releasing", forMs: 120_000, next: "b" }])).toEqual([
    "warning: Shard 7 does not move to b, because 1 reconcile has not ended for 2 min",
  ]);
  expect(await texts([{ shard: 7, state: "releasing", forMs: 59_000, next: "b" }])).toEqual([]);
});

it("contains certificates that expire soon, have expired, or are missing", async () => {
  const certificate = (name: string, days: number) => ({
    ...{ name, notAfter: new Date(atMs + days * 86_400_000).toISOString() },
  });
  const certificates = [certificate("webhooks", 13), certificate("metrics", -1), certificate("console", 15)];
  expect((await items({ certificates })).map(({ tone, text }) => [tone, text])).toEqual([
    ["bad", "The certificate of metrics has expired"],
    ["warning", "The certificate of webhooks expires in 13 d"],
  ]);
  expect(await items({ hasWebhooks: true })).toMatchObject([{ text: "The webhooks have no certificate" }]);
});

it("is limited, with the most urgent items first", async () => {
  const panels = Array.from({ length: 60 }, (_, at) => ({ tone: "warning" as const, text: `w${at}` }));
  const { items: shown, total } = await attention({ ...parts, panels, leadership: { isElected: true, leader: "" } });
  expect([shown.length, total, shown[0]?.text]).toEqual([50, 61, "No replica is the leader"]);
});
