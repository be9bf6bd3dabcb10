import { FakeClock } from "@kubewright/clock/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DeadlineHeap, Heap, type HeapEntry } from "./heap.ts";

interface Numbered extends HeapEntry {
  value: number;
}

it("pops the least first, after any pushes, updates and removals", () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 60 }), fc.array(fc.nat(59)), (values, picks) => {
      const heap = new Heap<Numbered>((a, b) => a.value < b.value);
      const entries = values.map((value): Numbered => ({ value, heapIndex: -1 }));
      for (const entry of entries) heap.push(entry);
      for (const [turn, pick] of picks.entries()) {
        const entry = entries[pick];
        if (!entry || entry.heapIndex < 0) continue;
        if (turn % 2 === 0) heap.remove(entry);
        else {
          entry.value -= turn * 7;
          heap.update(entry);
        }
      }
      const left = entries.filter((entry) => entry.heapIndex >= 0).map((entry) => entry.value);
      expect([...heap.values()]).toHaveLength(left.length);
      const popped: number[] = [];
      for (let entry = heap.pop(); entry; entry = heap.pop()) popped.push(entry.value);
      expect(popped).toEqual(left.sort((a, b) => a - b));
    }),
    { seed: 1 },
  );
});

const heapOf = () => {
  const clock = new FakeClock();
  const due: string[] = [];
  const heap = new DeadlineHeap<string>(clock, (item) => due.push(item));
  return { clock, due, heap };
};

it("returns items in the order of their times, and of arrival if those are equal", async () => {
  const { clock, due, heap } = heapOf();
  for (const [item, ms] of [
    ["late", 30],
    ["one", 20],
    ["two", 20],
    ["three", 20],
    ["early", 10],
  ] as const)
    heap.add(item, ms);
  expect([heap.size, heap.has("one"), heap.has("none")]).toEqual([5, true, false]);
  await clock.advance(9);
  expect(due).toEqual([]);
  await clock.advance(1);
  expect(due).toEqual(["early"]);
  expect(heap.has("early")).toBe(false);
  await clock.advance(20);
  expect(due).toEqual(["early", "one", "two", "three", "late"]);
  expect(heap.size).toBe(0);
});

it("keeps the earliest of several times", async () => {
  const { clock, due, heap } = heapOf();
  heap.add("a", 20);
  heap.add("a", 50);
  heap.add("b", 40);
  heap.add("b", 10);
  expect(heap.size).toBe(2);
  await clock.advance(10);
  expect(due).toEqual(["b"]);
  await clock.advance(10);
  expect(due).toEqual(["b", "a"]);
  await clock.advance(100);
  expect(due).toEqual(["b", "a"]);
});

it("removes items, one or all", async () => {
  const { clock, due, heap } = heapOf();
  for (const item of ["a", "b", "c"]) heap.add(item, 10);
  heap.delete("a");
  heap.delete("never there");
  await clock.advance(10);
  expect(due).toEqual(["b", "c"]);
  heap.add("d", 10);
  heap.clear();
  expect([heap.size, heap.has("d"), clock.waiting]).toEqual([0, false, 0]);
  heap.add("d", 5);
  await clock.advance(5);
  expect(due).toEqual(["b", "c", "d"]);
});

it("has one timer, and wakes for items that are due much later", async () => {
  const { clock, due, heap } = heapOf();
  heap.add("far", 25_000);
  heap.add("farther", 26_000);
  expect(clock.waiting).toBe(1);
  await clock.advance(24_999);
  expect(due).toEqual([]);
  expect(clock.waiting).toBe(1);
  await clock.advance(1);
  expect(due).toEqual(["far"]);
});

it("ignores rounding errors", async () => {
  const { clock, due, heap } = heapOf();
  heap.add("soon", 10);
  heap.add("a hair later", 10.0005);
  heap.add("later", 10.01);
  await clock.advance(10);
  expect(due).toEqual(["soon", "a hair later"]);
});
