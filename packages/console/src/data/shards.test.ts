import type { Manager } from "@kubewright/manager";
import { expect, it } from "vitest";
import { shardOf, shardsState } from "./shards.ts";

const long = "x".repeat(10_000);
const shard = { shard: 0, holder: long, state: "elsewhere", running: 0, next: `y${long}`, transitions: 0 };
const state = {
  ...{ identity: "a", replicas: Array(2_000).fill(long), shards: [{ ...shard, shard: 1 }, shard], listedMs: 4 },
  ...{ moves: { acquired: 0, released: 0, lost: 0 }, error: "token=x refused" },
};
const manager = { shards: { inspect: () => state, shardOf: () => 1 } } as unknown as Manager;

it("limits the identities of replicas, which other clients choose, and hides secrets in errors", () => {
  const { replicas, shards, error, ...rest } = shardsState(manager) ?? {};
  const [holder, next] = [long.slice(0, 253), `y${long.slice(0, 252)}`];
  expect([replicas?.length, new Set(replicas)]).toEqual([1_000, new Set([holder])]);
  expect(shards).toEqual([
    { ...shard, holder, next, shard: 1 },
    { ...shard, holder, next },
  ]);
  expect([error, rest]).toEqual(["token=(hidden) refused", { identity: "a", moves: state.moves, listedMs: 4 }]);
  expect(shardOf(manager, { isSharded: true }, "a/b")).toEqual({ ...shard, holder, next });
});

it("finds no shards without sharding, and none for a controller that is not sharded", () => {
  expect(shardsState({ shards: undefined })).toBeUndefined();
  expect(shardOf({ shards: undefined }, { isSharded: true }, "a/b")).toBeUndefined();
  expect(shardOf(manager, { isSharded: false }, "a/b")).toBeUndefined();
});
