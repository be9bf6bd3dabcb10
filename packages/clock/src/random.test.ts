import { describe, expect, it } from "vitest";
import { systemRandom } from "./random.ts";
import { SeededRandom } from "./testing/seeded-random.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each([
  ["the system's source", systemRandom],
  ["a seeded source", new SeededRandom(1)],
])("%s", (_name, random) => {
  it("returns numbers from 0 to 1 and integers below a limit, all of them", () => {
    for (let i = 0; i < 1_000; i++) {
      const number = random.number();
      expect(number >= 0 && number < 1).toBe(true);
    }
    const integers = Array.from({ length: 1_000 }, () => random.integer(3));
    expect([...new Set(integers)].sort()).toEqual([0, 1, 2]);
  });

  it("returns different bytes and UUIDs", () => {
    expect(random.bytes(20)).toHaveLength(20);
    expect(random.bytes(7)).not.toEqual(random.bytes(7));
    const uuids = Array.from({ length: 100 }, () => random.uuid());
    expect(new Set(uuids).size).toBe(100);
    for (const each of uuids) expect(each).toMatch(uuid);
  });
});

it("repeats everything for the same seed, and nothing for another", () => {
  const values = (seed: number) => {
    const random = new SeededRandom(seed);
    return [random.number(), random.integer(2 ** 40), random.bytes(5).toString("hex"), random.uuid()];
  };
  expect(values(7)).toEqual(values(7));
  const [one, other] = [values(7), values(8)];
  expect(one.filter((value, i) => value === other[i])).toEqual([]);
});

it("spreads the numbers of a seeded source evenly", () => {
  const random = new SeededRandom(3);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) {
    const place = random.integer(10);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
