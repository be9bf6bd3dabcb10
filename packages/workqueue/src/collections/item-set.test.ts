import { expect, it } from "vitest";
import { ItemSet } from "./item-set.ts";

it("contains the same items as a Set, for any number of changes", () => {
  const [ours, theirs] = [new ItemSet<number>(), new Set<number>()];
  for (let step = 0; step < 2_000; step++) {
    const item = (step * 7_919) % 53;
    if (step % 3 !== 0) {
      if (!theirs.has(item)) {
        ours.add(item);
        theirs.add(item);
      }
    } else {
      expect(ours.delete(item)).toBe(theirs.delete(item));
    }
    expect(ours.has(item)).toBe(theirs.has(item));
    expect(ours.size).toBe(theirs.size);
  }
  for (const item of theirs) expect(ours.delete(item)).toBe(true);
  expect(ours.size).toBe(0);
});

it("compares like a Set", () => {
  const set = new ItemSet<number>();
  set.add(Number.NaN);
  set.add(0);
  expect(set.has(Number.NaN)).toBe(true);
  expect(set.delete(-0)).toBe(true);
  expect(set.delete(Number.NaN)).toBe(true);
  expect(set.size).toBe(0);
});
