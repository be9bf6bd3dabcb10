import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignShards, digitsOf, ShardRanges, shardOf } from "./shards.ts";

describe("fnv1a", () => {
  it.each([
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["foobar", "85944171f73967e8"],
  ])("returns the published hash of %j", (text, hash) => {
    expect(digitsOf(text)).toBe(hash);
  });

  it("equals the definition for any text", () => {
    const byDefinition = (text: string): string => {
      let hash = 0xcbf29ce484222325n;
      for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n;
      return hash.toString(16).padStart(16, "0");
    };
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => digitsOf(text) === byDefinition(text)));
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

describe("ShardRanges", () => {
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `team-${at}`);
  const rangesOf = (namespaces: readonly string[], shards: number): ShardRanges => {
    const ranges = ShardRanges.of(namespaces, shards);
    if (!ranges) throw new Error("there are too few namespaces");
    return ranges;
  };
  /** Evaluates a selector as a server does. */
  const isSelected = (selector: string, namespace: string): boolean =>
    selector.split(" || ").some((range) => {
      const [, from = "", to = ""] =
        /^shardRange\(object\.metadata\.namespace, '0x([0-9a-f]{16})', '0x([0-9a-f]{16,17})'\)$/.exec(range) ?? [];
      const hash = BigInt(`0x${digitsOf(namespace)}`);
      return hash >= BigInt(`0x${from}`) && hash < BigInt(`0x${to}`);
    });

  it.each([
    ["numbered", (at: number) => `ns-${at}`],
    ["padded", (at: number) => `team-${String(at).padStart(4, "0")}`],
    ["unlike", (at: number) => `tenant-${((at * 2_654_435_761) % 2 ** 32).toString(16)}`],
  ])("gives each of four replicas a fourth of 1,000 %s namespaces", (_, nameOf) => {
    const namespaces = Array.from({ length: 1_000 }, (__, at) => nameOf(at));
    const ranges = rangesOf(namespaces, 16);
    const counts = Array<number>(16).fill(0);
    for (const namespace of namespaces)
      counts[ranges.shardOf(namespace)] = (counts[ranges.shardOf(namespace)] ?? 0) + 1;
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it("selects exactly the namespaces of the shards", () => {
    const namespaces = numbered(300);
    const ranges = rangesOf(namespaces, 16);
    fc.assert(
      fc.property(fc.subarray([...Array(16).keys()], { minLength: 1 }), fc.string(), (shards, other) => {
        const selector = ranges.selectorOf(shards);
        return [...namespaces, other].every(
          (one) => isSelected(selector, one) === shards.includes(ranges.shardOf(one)),
        );
      }),
    );
  });

  it("joins adjacent shards, and the nearest ones of more than 64 ranges", () => {
    const ranges = rangesOf(numbered(2_000), 200);
    const rangesIn = (shards: readonly number[]): number => ranges.selectorOf(shards).split(" || ").length;
    const whole = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')";
    expect(ranges.selectorOf([...Array(200).keys()])).toBe(whole);
    expect(rangesIn([0, 1, 3, 4, 5, 199])).toBe(3);
    // Gaps of one shard, except for one of three shards in the middle.
    const apart = Array.from({ length: 80 }, (_, at) => 2 * at + (at < 40 ? 0 : 2));
    const selector = ranges.selectorOf(apart);
    expect(selector.split(" || ")).toHaveLength(64);
    const selected = numbered(2_000).filter((one) => isSelected(selector, one));
    const shards = new Set(selected.map((one) => ranges.shardOf(one)));
    expect([apart.every((shard) => shards.has(shard)), shards.has(80)]).toEqual([true, false]);
  });

  it("is restored from its text", () => {
    const ranges = rangesOf(numbered(160), 16);
    const restored = ShardRanges.parse(ranges.text, 16);
    expect(numbered(1_000).every((one) => restored?.shardOf(one) === ranges.shardOf(one))).toBe(true);
    expect(ShardRanges.parse(rangesOf(numbered(10), 1).text, 1)?.shardOf("any")).toBe(0);
  });

  it("requires ten namespaces for each shard, because fewer do not show where others will be", () => {
    expect([ShardRanges.of(numbered(159), 16), ShardRanges.of(["a", "a"], 1)]).toEqual([undefined, undefined]);
    expect(ShardRanges.of(numbered(160), 16)).toBeDefined();
  });

  it.each([
    "",
    "1 2 3",
    "0000000000000002 0000000000000001",
    "0000000000000001 0000000000000001",
    "x 0000000000000001",
  ])("refuses the damaged text %j", (text) => expect(ShardRanges.parse(text, 3)).toBeUndefined());
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
