import { FakeClock } from "@kubewright/clock/testing";
import {
  bucket,
  defaultControllerRateLimiter,
  defaultItemBasedRateLimiter,
  exponentialFailure,
  fastSlow,
  maxOf,
  RateLimitingQueue,
  withMaxWait,
} from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

describe("rate limiters", () => {
  it("WQ-014 doubles an item's delay with each failure, separately for each item, until forgotten", () => {
    const limiter = exponentialFailure({ baseMs: 1, maxMs: 1_000 });
    expect([1, 2, 3, 4, 5].map(() => limiter.when("one"))).toEqual([1, 2, 4, 8, 16]);
    expect(limiter.numRequeues("one")).toBe(5);
    expect([1, 2].map(() => limiter.when("two"))).toEqual([1, 2]);
    expect(limiter.numRequeues("two")).toBe(2);
    limiter.forget("one");
    expect(limiter.numRequeues("one")).toBe(0);
    expect(limiter.when("one")).toBe(1);
    for (let failures = 0; failures < 2_000; failures++) limiter.when("two");
    expect(limiter.when("two")).toBe(1_000);
  });

  it("WQ-015 is fast for the first attempts and slow afterwards, until forgotten", () => {
    const limiter = fastSlow({ fastMs: 5, slowMs: 10_000, maxFastAttempts: 3 });
    expect([1, 2, 3, 4, 5].map(() => limiter.when("one"))).toEqual([5, 5, 5, 10_000, 10_000]);
    expect(limiter.numRequeues("one")).toBe(5);
    expect(limiter.when("two")).toBe(5);
    limiter.forget("one");
    expect(limiter.numRequeues("one")).toBe(0);
    expect(limiter.when("one")).toBe(5);
  });

  it("WQ-016 asks every limiter and takes the longest delay", () => {
    const first = fastSlow({ fastMs: 5, slowMs: 3_000, maxFastAttempts: 3 });
    const second = exponentialFailure({ baseMs: 1, maxMs: 1_000 });
    const limiter = maxOf(first, second);
    expect([1, 2, 3, 4, 5].map(() => limiter.when("one"))).toEqual([5, 5, 5, 3_000, 3_000]);
    expect(second.numRequeues("one")).toBe(5);
    first.when("one");
    expect(limiter.numRequeues("one")).toBe(6);
    limiter.forget("one");
    expect([limiter, first, second].map((each) => each.numRequeues("one"))).toEqual([0, 0, 0]);
    expect(limiter.when("one")).toBe(5);
  });

  it("WQ-017 limits delays to the maximum and leaves shorter ones unchanged", () => {
    const limiter = withMaxWait(fastSlow({ fastMs: 5, slowMs: 1_000_000, maxFastAttempts: 1 }), 500_000);
    expect([limiter.when("one"), limiter.when("one")]).toEqual([5, 500_000]);
    expect(limiter.numRequeues("one")).toBe(2);
    limiter.forget("one");
    expect(limiter.when("one")).toBe(5);
  });

  it("WQ-018 has upstream's defaults, and a bucket does not track items", async () => {
    const clock = new FakeClock();
    const controller = defaultControllerRateLimiter({ clock });
    expect(controller.when("one")).toBe(5);
    for (let taken = 1; taken < 100; taken++) expect(controller.when(taken)).toBe(5);
    expect(controller.when("hundred and first")).toBeCloseTo(100);
    expect(controller.when("hundred and second")).toBeCloseTo(200);
    await clock.advance(3_600_000);
    for (let failures = 1; failures < 40; failures++) controller.when("one");
    await clock.advance(3_600_000);
    expect(controller.when("one")).toBe(1_000_000);

    const itemBased = defaultItemBasedRateLimiter();
    expect([itemBased.when("one"), itemBased.when("one")]).toEqual([1, 2]);
    for (let failures = 0; failures < 40; failures++) itemBased.when("one");
    expect(itemBased.when("one")).toBe(1_000_000);

    const overall = bucket({ qps: 10, burst: 100, clock });
    overall.when("one");
    expect(overall.numRequeues("one")).toBe(0);
  });

  it("WQ-019 delays a rate-limited add by the limiter's delay, until forgotten", async () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue<string>({
      clock,
      rateLimiter: exponentialFailure({ baseMs: 1, maxMs: 1_000 }),
    });
    const arrivesAfter = async (item: string, ms: number): Promise<void> => {
      queue.addRateLimited(item);
      await clock.advance(ms - 0.5);
      expect(queue.size).toBe(0);
      await clock.advance(0.5);
      expect(queue.tryGet()).toBe(item);
      queue.done(item);
    };
    await arrivesAfter("one", 1);
    await arrivesAfter("one", 2);
    expect(queue.numRequeues("one")).toBe(2);
    await arrivesAfter("two", 1);
    queue.forget("one");
    expect(queue.numRequeues("one")).toBe(0);
    expect(queue.numRequeues("two")).toBe(1);
    await arrivesAfter("one", 1);
  });
});
