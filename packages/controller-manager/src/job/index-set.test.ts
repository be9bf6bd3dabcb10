import fc from "fast-check";
import { expect, it } from "vitest";
import { IndexSet } from "./index-set.ts";

it("formats and parses completed indexes as upstream does", () => {
  expect(String(IndexSet.empty.with([5, 0, 1, 3, 4, 5]))).toBe("0,1,3-5");
  expect(String(IndexSet.parse("0,1,3-5"))).toBe("0,1,3-5");
  expect(IndexSet.parse("0,1,3-5").size).toBe(5);
  expect(IndexSet.parse(undefined).size).toBe(0);
});

it("handles the maximum number of indexes quickly", () => {
  const start = performance.now();
  const all = IndexSet.parse("0-2147483646");
  expect(all.size).toBe(2_147_483_647);
  expect(all.has(2_147_483_646)).toBe(true);
  expect(all.has(2_147_483_647)).toBe(false);
  expect([...all.missing(2_147_483_647)]).toEqual([]);
  expect(String(all.with([2_147_483_648]))).toBe("0-2147483646,2147483648");
  expect(IndexSet.parse("7-2147483646").countIn(all)).toBe(2_147_483_640);
  const [first, second] = IndexSet.parse("0-9,11-2147483645").missing(2_147_483_647);
  expect([first, second]).toEqual([10, 2_147_483_646]);
  expect(performance.now() - start).toBeLessThan(500);
});

it("skips values that are not indexes of the job", () => {
  expect(String(IndexSet.parse("3-1,a,-5,1e3,2-,0-4-5,99999999999999999999,6-9", 8))).toBe("6,7");
});

it("behaves like a set of numbers", () => {
  const some = fc.uniqueArray(fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(some, some, (a, b) => {
      const [first, second] = [IndexSet.empty.with(a), IndexSet.parse(String(IndexSet.empty.with(b)))];
      const both = new Set([...a, ...b]);
      expect(first.size).toBe(a.length);
      expect(first.union(second).size).toBe(both.size);
      expect(first.countIn(second)).toBe(a.length + b.length - both.size);
      for (let i = 0; i <= 41; i++) expect(first.has(i)).toBe(a.includes(i));
      expect([...first.missing(41)]).toEqual(Array.from({ length: 41 }, (_, i) => i).filter((i) => !a.includes(i)));
    }),
  );
});

it("parses the largest index, and none beyond", () => {
  expect(String(IndexSet.parse("2147483646-2147483648"))).toBe("2147483646,2147483647");
  expect(String(IndexSet.parse("2147483648"))).toBe("");
});
