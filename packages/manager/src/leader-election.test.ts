import { afterEach, expect, it, vi } from "vitest";
import { type LeaderElectionOptions, leaseNamespace, type ShardingOptions, Shards } from "./leader-election.ts";
import { startManager } from "./testing/start-manager.ts";

afterEach(() => vi.unstubAllEnvs());

it("uses the pod's namespace for the lease, unless another is set", () => {
  vi.stubEnv("POD_NAMESPACE", "shop-system");
  expect(leaseNamespace({ id: "a" })).toBe("shop-system");
  expect(leaseNamespace({ id: "a", namespace: "other" })).toBe("other");
  vi.stubEnv("POD_NAMESPACE", "");
  expect(() => leaseNamespace({ id: "a" })).toThrow("please specify leaderElection.namespace");
});

const parts = {
  client: {} as never,
  clock: {} as never,
  logger: undefined,
  metrics: undefined,
  fenced: () => ({}) as never,
};
const newShards = (options: Partial<ShardingOptions>, election?: LeaderElectionOptions) =>
  new Shards({ shards: 4, ...options }, election, parts);

it("requires an ID for sharding: its own, or that of leader election", () => {
  expect(() => newShards({})).toThrow("sharding.id must be configured because leaderElection.id is not set");
  expect(newShards({ id: "shop" }).held).toEqual([]);
  expect(newShards({}, { id: "shop" }).held).toEqual([]);
});

it("uses the durations of leader election for sharding by default, and refuses invalid ones", () => {
  const election = { id: "shop", leaseDurationMs: 8_000 };
  expect(() => newShards({}, election)).toThrow("leaseDurationMs must be greater than renewDeadlineMs");
  expect(newShards({ renewDeadlineMs: 5_000 }, election).held).toEqual([]);
  expect(() => newShards({ id: "shop", shards: 0 })).toThrow("shards must be a whole number from 1 to 1000, got 0");
});

it("requires a namespace for sharding outside of a pod", async () => {
  vi.stubEnv("POD_NAMESPACE", "");
  const { run, outcome } = startManager({ sharding: { shards: 4, id: "shop" } });
  await run;
  expect(String(outcome())).toContain("please specify sharding.namespace");
});

it("is ready without a sharded controller, and has no shards without the option", async () => {
  const sharding = { shards: 4, id: "shop", namespace: "default" };
  const { manager, stop, run, clock } = startManager({ sharding, health: { bindAddress: "127.0.0.1:0" } });
  await clock.advance(0);
  expect(manager.shards?.check()).toBe("no controller is sharded");
  stop.abort();
  await run;
  expect(startManager().manager.shards).toBeUndefined();
});
