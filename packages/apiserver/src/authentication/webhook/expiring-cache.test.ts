import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ExpiringCache } from "./expiring-cache.ts";

it("caches a value for its lifetime", async () => {
  const clock = new FakeClock();
  const cache = new ExpiringCache<number>(clock);
  cache.set("a", 1, 10);
  cache.set("b", 2, 0);
  cache.set("c", 3, 1);
  expect(["a", "b", "c", "d"].map((key) => cache.get(key))).toEqual([1, undefined, 3, undefined]);
  await clock.advance(9);
  expect(["a", "c"].map((key) => cache.get(key))).toEqual([1, undefined]);
  await clock.advance(1);
  expect(cache.get("a")).toBeUndefined();
});

it("drops the oldest of 8192 for a new one, not the one set again", () => {
  const cache = new ExpiringCache<number>(new FakeClock());
  for (let i = 0; i < 8_192; i++) cache.set(String(i), i, 10);
  expect(cache.get("0")).toBe(0);
  cache.set("0", 0, 10);
  cache.set("new", 1, 10);
  expect(["0", "1", "2", "8191", "new"].map((key) => cache.get(key))).toEqual([0, undefined, 2, 8_191, 1]);
});
