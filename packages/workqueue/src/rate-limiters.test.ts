import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import {
  bucket,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  exponentialFailure,
  fastSlow,
  maxOf,
  type RateLimiter,
  withMaxWait,
} from "./rate-limiters.ts";

const times = (count: number, limiter: RateLimiter, item: unknown): readonly number[] =>
  Array.from({ length: count }, () => limiter.when(item));

const limiters = {
  "doubles from the base": { limiter: exponentialFailure({ baseMs: 1, maxMs: 1_000 }), waits: [1, 2, 4, 8, 16] },
  "doubles until the maximum": { limiter: exponentialFailure({ baseMs: 1, maxMs: 5 }), waits: [1, 2, 4, 5, 5] },
  "has only one delay if base and maximum are equal": {
    limiter: exponentialFailure({ baseMs: 5, maxMs: 5 }),
    waits: [5, 5, 5, 5, 5],
  },
  "is fast for a number of times, then slow": {
    limiter: fastSlow({ fastMs: 5, slowMs: 1_000, maxFastAttempts: 3 }),
    waits: [5, 5, 5, 1_000, 1_000],
  },
  "uses the longest delay": {
    limiter: maxOf(
      fastSlow({ fastMs: 5, slowMs: 3_000, maxFastAttempts: 3 }),
      exponentialFailure({ baseMs: 1, maxMs: 1_000 }),
    ),
    waits: [5, 5, 5, 3_000, 3_000],
  },
  "limits another's delay": {
    limiter: withMaxWait(exponentialFailure({ baseMs: 2, maxMs: 1_000 }), 10),
    waits: [2, 4, 8, 10, 10],
  },
  "doubles from one millisecond by default": { limiter: defaultItemBasedRateLimiter(), waits: [1, 2, 4, 8, 16] },
  "doubles from five milliseconds in controllers": {
    limiter: defaultControllerRateLimiter({ clock: new FakeClock() }),
    waits: [5, 10, 20, 40, 80],
  },
};

it.each(Object.entries(limiters))(
  "%s, for each item separately, and starts over when the item is forgotten",
  (_, given) => {
    const { limiter, waits } = given;
    expect(limiter.numRequeues("one")).toBe(0);
    expect(times(5, limiter, "one")).toEqual(waits);
    expect(limiter.numRequeues("one")).toBe(5);
    expect(times(2, limiter, "two")).toEqual(waits.slice(0, 2));
    expect(limiter.numRequeues("two")).toBe(2);
    limiter.forget("one");
    expect([limiter.numRequeues("one"), limiter.numRequeues("two")]).toEqual([0, 2]);
    expect(times(2, limiter, "one")).toEqual(waits.slice(0, 2));
  },
);

it.each([
  ["by item", defaultItemBasedRateLimiter()],
  ["in controllers", defaultControllerRateLimiter({ clock: new FakeClock() })],
])("waits no longer than 1000 s by default %s", (_, limiter) => {
  expect(times(30, limiter, "one").at(-1)).toBe(1_000_000);
});

it("lets 100 through at once in controllers, then ten a second", () => {
  const limiter = defaultControllerRateLimiter({ clock: new FakeClock() });
  const waits = Array.from({ length: 102 }, (_, item) => Math.round(limiter.when(item)));
  expect([...new Set(waits.slice(0, 100))]).toEqual([5]);
  expect(waits.slice(100)).toEqual([100, 200]);
});

it("allows a burst of all items together, then a rate, and counts no item", async () => {
  const clock = new FakeClock();
  const limiter = bucket({ qps: 4, burst: 2, clock });
  expect(["a", "b", "a", "c"].map((item) => limiter.when(item))).toEqual([0, 0, 250, 500]);
  expect(limiter.numRequeues("a")).toBe(0);
  limiter.forget("a");
  await clock.advance(750);
  expect([limiter.when("a"), limiter.when("a")]).toEqual([0, 250]);
});

it("is never below 0 without limiters", () => {
  expect([maxOf().when("a"), maxOf().numRequeues("a")]).toEqual([0, 0]);
});

it.each([
  [{ baseMs: 0, maxMs: 5 }, "baseMs must be positive, got 0"],
  [{ baseMs: -1, maxMs: 5 }, "baseMs must be positive, got -1"],
  [{ baseMs: 6, maxMs: 5 }, "maxMs must not be below baseMs, got 5 < 6"],
])("refuses %o", (options, message) => {
  expect(() => exponentialFailure(options)).toThrow(new RangeError(message));
});
