import fc from "fast-check";
import { expect, it } from "vitest";
import { Heap, type HeapEntry } from "./heap.ts";

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
