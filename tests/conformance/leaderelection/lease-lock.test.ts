import { isAlreadyExists, isNotFound, type KubeObject } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { Lease } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { type LeaderElectionRecord, LeaseLock, type LeaseLockOptions } from "@kubewright/leader-election";
import { afterAll, beforeAll, expect, it } from "vitest";

const { signal } = new AbortController();
let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client?.close();
  await env?.stop();
});

let count = 0;
const newLock = (options: Partial<LeaseLockOptions> = {}): LeaseLock =>
  new LeaseLock({ client, namespace: "default", name: `lock-${++count}`, identity: "a", ...options });
const record: LeaderElectionRecord = {
  holderIdentity: "a",
  leaseDurationSeconds: 15,
  acquireTimeMs: Date.UTC(2026, 0, 1) + 0.25,
  renewTimeMs: Date.UTC(2026, 0, 2) + 123.5,
  leaderTransitions: 2,
};

it("LE-022 reports that a lease is missing, exists already, or was neither read nor created", async () => {
  const lock = newLock();
  await expect(lock.get(signal)).rejects.toSatisfy(isNotFound);
  await expect(lock.update(record, signal)).rejects.toThrow("it was neither read nor created");
  await lock.create(record, signal);
  await expect(lock.create(record, signal)).rejects.toSatisfy(isAlreadyExists);
});

it("LE-023 preserves the whole record, with times to the microsecond", async () => {
  const lock = newLock();
  await lock.create(record, signal);
  expect(await lock.get(signal)).toEqual(record);
  expect((await client.get(Lease, lock.description)).spec).toEqual({
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000250Z",
    renewTime: "2026-01-02T00:00:00.123500Z",
    leaseTransitions: 2,
  });
});

it("LE-023 preserves preferred holder and strategy, if the server supports them", async () => {
  let stored: KubeObject | undefined;
  const keeping = async (_kind: unknown, object: object) => {
    stored = JSON.parse(JSON.stringify(object)) as KubeObject;
    return stored as never;
  };
  const memory: LeaseLockOptions["client"] = { get: async () => stored as never, create: keeping, update: keeping };
  const lock = newLock({ client: memory });
  const coordinated = { ...record, preferredHolder: "b", strategy: "OldestEmulationVersion" };
  await lock.create(coordinated, signal);
  expect(await lock.get(signal)).toEqual(coordinated);
  expect(stored).toMatchObject({ spec: { preferredHolder: "b", strategy: "OldestEmulationVersion" } });
});

it("LE-024 creates Events on the lease, and works without a recorder", async () => {
  const events: unknown[] = [];
  const lock = newLock({ events: (lease, event) => events.push(lease.metadata.name, event.note) });
  lock.record("is too early: there is no lease");
  await lock.create(record, signal);
  lock.record("became leader");
  expect(events).toEqual([`lock-${count}`, "a became leader"]);

  const silent = newLock();
  await silent.create(record, signal);
  expect(() => silent.record("became leader")).not.toThrow();
});

it("LE-025 describes itself as namespace and name", () => {
  expect(newLock({ namespace: "web", name: "shop" }).description).toBe("web/shop");
});

it("LE-026 updates, whichever side has labels", async () => {
  const labelsAfter = async (onLease: object | undefined, options: Partial<LeaseLockOptions>) => {
    const lock = newLock(options);
    const [namespace = "", name = ""] = lock.description.split("/");
    await client.create(Lease, { metadata: { name, namespace, ...(onLease ? { labels: { ...onLease } } : {}) } });
    await lock.get(signal);
    await lock.update(record, signal);
    return (await client.get(Lease, lock.description)).metadata.labels;
  };
  expect(await labelsAfter(undefined, {})).toBeUndefined();
  expect(await labelsAfter({ app: "x" }, {})).toEqual({ app: "x" });
  expect(await labelsAfter(undefined, { labels: { of: "lock" } })).toEqual({ of: "lock" });
  expect(await labelsAfter({ app: "x" }, { labels: { of: "lock" } })).toEqual({ app: "x", of: "lock" });
});
