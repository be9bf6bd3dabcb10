import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignShards, fnv1a, shardOf } from "./shards.ts";

const hex = (text: string): string =>
  fnv1a(text)
    .map((half) => half.toString(16).padStart(8, "0"))
    .join("");

describe("fnv1a", () => {
  it.each([
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["foobar", "85944171f73967e8"],
  ])("returns the published hash of %j", (text, hash) => {
    expect(hex(text)).toBe(hash);
  });

  it("equals the definition for any text", () => {
    const byDefinition = (text: string): string => {
      let hash = 0xcbf29ce484222325n;
      for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n;
      return hash.toString(16).padStart(16, "0");
    };
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => hex(text) === byDefinition(text)));
  });
});

describe("shardOf", () => {
  it("never changes", () => {
    const keys = ["default/web", "default/web-1", "shop/db", "node-1", "münchen/straße"];
    expect(keys.map((key) => shardOf(key, 1_000))).toEqual([513, 569, 596, 630, 578]);
    expect(keys.map((key) => shardOf(key, 1_000, "namespace"))).toEqual([471, 471, 177, 630, 208]);
  });

  it("gives all keys of a namespace the same shard, and divides cluster-scoped objects by their name", () => {
    expect(shardOf("shop/a", 1_000, "namespace")).toBe(shardOf("shop/b", 1_000, "namespace"));
    expect(shardOf("shop/a", 1_000)).not.toBe(shardOf("shop/b", 1_000));
    expect(shardOf("shop", 1_000, "namespace")).toBe(shardOf("shop/a", 1_000, "namespace"));
    expect(shardOf("node-1", 1_000, "namespace")).not.toBe(shardOf("node-2", 1_000, "namespace"));
  });

  it.each([
    ["numbered namespaces", (i: number) => `tenant-${i}/site`],
    ["numbered names", (i: number) => `default/web-${i}`],
  ])("divides %s evenly", (_, keyOf) => {
    const counts = Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) counts[shardOf(keyOf(i), 16)] = (counts[shardOf(keyOf(i), 16)] ?? 0) + 1;
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });
});

const names = ["a", "b", "c", "d", "e"];
const situation = fc.record({
  holders: fc.array(fc.option(fc.constantFrom(...names, "gone"), { nil: undefined }), { minLength: 1, maxLength: 32 }),
  members: fc.subarray(names, { minLength: 1 }),
});
const counted = (all: readonly (string | undefined)[], member: string): number =>
  all.filter((holder) => holder === member).length;

describe("assignShards", () => {
  it("divides all shards fairly among the members", () => {
    fc.assert(
      fc.property(situation, ({ holders, members }) => {
        const targets = assignShards(holders, members);
        const counts = members.map((member) => counted(targets, member));
        expect(counts.reduce((sum, count) => sum + count)).toBe(holders.length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("moves no more shards than fairness requires, and none once they are divided", () => {
    fc.assert(
      fc.property(situation, ({ holders, members }) => {
        const targets = assignShards(holders, members);
        const kept = holders.filter((holder, shard) => holder !== undefined && targets[shard] === holder).length;
        const shares = members.map((member) => counted(targets, member)).sort((a, b) => b - a);
        const held = members.map((member) => counted(holders, member)).sort((a, b) => b - a);
        expect(kept).toBe(held.reduce((sum, count, at) => sum + Math.min(count, shares[at] ?? 0), 0));
        expect(assignShards(targets, members)).toEqual(targets);
        expect(assignShards(holders, [...members].reverse())).toEqual(targets);
      }),
    );
  });

  it("assigns nothing if there are no members", () => {
    expect(assignShards(["a", undefined], [])).toEqual([undefined, undefined]);
  });
});
