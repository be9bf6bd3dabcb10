import { FakeClock } from "@kubewright/clock/testing";
import { ItemBackoff } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

describe("per-item backoff", () => {
  it("WQ-051 doubles up to the maximum and starts over after a reset", () => {
    const backoff = new ItemBackoff({ baseMs: 1_000, maxMs: 50_000, clock: new FakeClock() });
    const delays = Array.from({ length: 9 }, () => {
      const delay = backoff.get("one");
      backoff.next("one");
      return delay / 1_000;
    });
    expect(delays).toEqual([0, 1, 2, 4, 8, 16, 32, 50, 50]);
    backoff.reset("one");
    expect(backoff.get("one")).toBe(0);
  });

  it("WQ-052 starts an item over after more than twice the maximum, or by the given rule", async () => {
    const clock = new FakeClock();
    const backoff = new ItemBackoff({ baseMs: 1_000, maxMs: 10_000, clock });
    backoff.next("one");
    backoff.next("one");
    await clock.advance(20_001);
    expect(backoff.isInBackoffSince("one", clock.monotonic())).toBe(false);
    backoff.next("one");
    expect(backoff.get("one")).toBe(1_000);

    const custom = new ItemBackoff({ baseMs: 1_000, maxMs: 10_000, clock, hasExpired: (idleMs) => idleMs >= 8_000 });
    custom.next("one");
    custom.next("one");
    await clock.advance(7_999);
    custom.next("one");
    expect(custom.get("one")).toBe(4_000);
    await clock.advance(8_000);
    custom.next("one");
    expect(custom.get("one")).toBe(1_000);
  });

  it("WQ-053 stays at the maximum while failures keep coming", async () => {
    const clock = new FakeClock();
    const backoff = new ItemBackoff({ baseMs: 1_000, maxMs: 5_000, clock });
    for (let failures = 0; failures < 4; failures++) backoff.next("one");
    expect(backoff.get("one")).toBe(5_000);
    await clock.advance(10_000);
    backoff.next("one");
    expect(backoff.get("one")).toBe(5_000);
    expect(backoff.isInBackoffSince("one", clock.monotonic())).toBe(true);
  });

  it("WQ-054 drops only state that would start over anyway", async () => {
    const clock = new FakeClock();
    const backoff = new ItemBackoff({ baseMs: 1_000, maxMs: 5_000, clock });
    const custom = new ItemBackoff({ baseMs: 1_000, maxMs: 5_000, clock, hasExpired: (idleMs) => idleMs > 2_000 });
    for (const each of [backoff, custom]) each.next("old");
    await clock.advance(2_001);
    for (const each of [backoff, custom]) each.next("new");
    for (const each of [backoff, custom]) each.collectGarbage();
    expect([backoff.size, custom.size]).toEqual([2, 1]);
    await clock.advance(8_000);
    backoff.collectGarbage();
    expect([backoff.size, backoff.get("old"), backoff.get("new")]).toEqual([1, 0, 1_000]);
  });

  it("WQ-055 lengthens each delay by at most a tenth of the one before", () => {
    const backoff = new ItemBackoff({ baseMs: 1_000, maxMs: 50_000, jitter: 0.1, clock: new FakeClock() });
    backoff.next("one");
    let previous = backoff.get("one");
    expect(previous).toBeGreaterThan(1_000);
    while (previous < 50_000) {
      backoff.next("one");
      const delay = backoff.get("one");
      if (delay < 50_000) expect(delay).toBeGreaterThan(2 * previous);
      expect(delay).toBeLessThanOrEqual(Math.min(2.1 * previous, 50_000));
      previous = delay;
    }
  });
});
