import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ItemBackoff } from "./item-backoff.ts";

const backoffOf = (options: Partial<ConstructorParameters<typeof ItemBackoff>[0]> = {}) => {
  const clock = new FakeClock();
  return { clock, backoff: new ItemBackoff({ baseMs: 1_000, maxMs: 5_000, clock, ...options }) };
};

it("doubles each item's delay separately up to the maximum, until it is reset", () => {
  const { backoff } = backoffOf();
  expect(backoff.get("a")).toBe(0);
  const delays = Array.from({ length: 5 }, () => {
    backoff.next("a");
    return backoff.get("a");
  });
  expect(delays).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  backoff.next("b");
  expect([backoff.get("b"), backoff.size]).toEqual([1_000, 2]);
  backoff.reset("a");
  expect([backoff.get("a"), backoff.size]).toEqual([0, 1]);
});

it("limits the first delay as well", () => {
  const { backoff } = backoffOf({ baseMs: 9_000 });
  backoff.next("a");
  expect(backoff.get("a")).toBe(5_000);
});

it("starts over more than twice the maximum after the last failure", async () => {
  const { clock, backoff } = backoffOf();
  backoff.next("a");
  await clock.advance(10_000);
  backoff.next("a");
  expect(backoff.get("a")).toBe(2_000);
  await clock.advance(10_000);
  backoff.collectGarbage();
  expect(backoff.size).toBe(1);
  await clock.advance(1);
  backoff.next("a");
  expect(backoff.get("a")).toBe(1_000);
  await clock.advance(10_001);
  backoff.collectGarbage();
  expect([backoff.size, backoff.get("a")]).toEqual([0, 0]);
});

it("starts over by a custom condition", async () => {
  const { clock, backoff } = backoffOf({ hasExpired: (idleMs, maxMs) => idleMs >= maxMs });
  backoff.next("a");
  await clock.advance(4_999);
  backoff.next("a");
  expect(backoff.get("a")).toBe(2_000);
  await clock.advance(5_000);
  backoff.next("a");
  expect(backoff.get("a")).toBe(1_000);
});

it("is in backoff for less than the delay after the event, and not once it has expired", async () => {
  const { clock, backoff } = backoffOf();
  const failedAt = clock.monotonic();
  expect(backoff.isInBackoffSince("a", failedAt)).toBe(false);
  backoff.next("a");
  await clock.advance(999);
  expect(backoff.isInBackoffSince("a", failedAt)).toBe(true);
  await clock.advance(1);
  expect(backoff.isInBackoffSince("a", failedAt)).toBe(false);
  await clock.advance(9_001);
  expect(backoff.isInBackoffSince("a", clock.monotonic())).toBe(false);
});

it("adds a random share of the previous delay", () => {
  const { backoff } = backoffOf({ jitter: 0.5, random: () => 0.25 });
  const delays = [1, 2].map(() => {
    backoff.next("a");
    return backoff.get("a");
  });
  expect(delays).toEqual([1_375, 2_750 + 0.375 * 1_375]);
});
