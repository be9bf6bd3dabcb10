import { describe, expect, it } from "vitest";
import { CelEntries, CelList } from "./collections.ts";
import type { CelValue } from "./value.ts";

const list = (...items: number[]): CelList => new CelList(items.map(BigInt));
const range = (from: number, count: number): CelList => list(...Array.from({ length: count }, (_, i) => from + i));
const numbers = (made: CelList): number[] => [...made].map(Number);

describe("joined lists", () => {
  it.each<readonly [string, () => CelList, number[]]>([
    ["short ones", () => list(1, 2).concat(list(3)), [1, 2, 3]],
    ["with an empty one before", () => list().concat(list(1)), [1]],
    ["with an empty one behind", () => list(1).concat(list()), [1]],
    ["long ones", () => range(0, 40).concat(range(40, 40)), numbers(range(0, 80))],
    ["a long and a short one", () => range(0, 40).concat(list(40)), numbers(range(0, 41))],
    ["a short and a long one", () => list(0).concat(range(1, 40)), numbers(range(0, 41))],
    ["one to a joined list", () => range(0, 40).concat(range(40, 40)).concat(list(80)), numbers(range(0, 81))],
  ])("%s", (_what, make, items) => {
    expect(numbers(make())).toEqual(items);
    expect(make().length).toBe(items.length);
    expect(make().equals(list(...items))).toBe(true);
    expect(make().has(BigInt(items[items.length - 1] ?? 0))).toBe(true);
  });

  it("do not change previous lists when they grow item by item", () => {
    const before = list(1).concat(list(2));
    const [one, other] = [before.concat(list(3)), before.concat(list(4))];
    expect([before, one, other, one.concat(list(5)), other.concat(list(6))].map(numbers)).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2, 4],
      [1, 2, 3, 5],
      [1, 2, 4, 6],
    ]);
  });

  it("are not copied if they are long", () => {
    let made = 0;
    const long = new CelList({
      length: 1_000,
      make: (i): CelValue => {
        made++;
        return BigInt(i);
      },
    });
    let joined = long;
    for (let i = 0; i < 40; i++) joined = joined.concat(joined);
    expect([joined.length, made]).toEqual([1_000 * 2 ** 40, 0]);
    expect([joined.at(999_999), made]).toEqual([999n, 1]);
  });

  it("are aborted if they are too long to traverse", () => {
    let joined = range(0, 40);
    expect(() => {
      for (let i = 0; i < 60; i++) joined = joined.concat(joined);
    }).toThrow("actual cost limit exceeded");
  });

  it("sets contain each item once, and are equal in any order", () => {
    const set = (...items: CelValue[]): CelList => new CelList(items, { type: "set" });
    const composite = list(7);
    const both = set("a", 1n, null, composite).concat(set(1, "b", null, list(7), list(8)));
    expect(both.length).toBe(6);
    expect(both.equals(set(list(8), null, "b", composite, 1n, "a"))).toBe(true);
    expect(both.equals(set(list(8), null, "b", composite, 1n, "c"))).toBe(false);
  });
});

describe("growing maps", () => {
  const entries = (map: CelEntries): unknown[] => [...map.keys()].map((key) => [key, map.find(key)]);

  it("do not change previous ones", () => {
    const before = CelEntries.grown(new CelEntries(), [["a", 1n]]);
    const one = CelEntries.grown(before, [["b", 2n]]);
    const other = CelEntries.grown(before, [["b", 3n]]);
    expect([before, one, other].map(entries)).toEqual([
      [["a", 1n]],
      [
        ["a", 1n],
        ["b", 2n],
      ],
      [
        ["a", 1n],
        ["b", 3n],
      ],
    ]);
    expect([before, one, other].map(({ size }) => size)).toEqual([1, 2, 2]);
    expect(before.find("b")).toBeUndefined();
    expect(before.equals(one)).toBe(false);
  });

  it("do not change the original map", () => {
    const constant = new CelEntries([["a", 1n]]);
    CelEntries.grown(constant, [["b", 2n]]);
    expect(entries(constant)).toEqual([["a", 1n]]);
    expect(
      entries(
        new CelEntries([
          ["a", 1n],
          ["a", 2n],
        ]),
      ),
    ).toEqual([["a", 2n]]);
  });
});
