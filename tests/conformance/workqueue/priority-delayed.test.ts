import { FakeClock } from "@kubewright/clock/testing";
import { PriorityQueue, type RateLimiter } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";
import { RecordedMetrics } from "./recorded-metrics.ts";

describe("priority queue: delayed items", () => {
  it("WQ-035 wakes a waiting consumer for a delayed item only after its delay", async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    let got: string | undefined;
    const getting = queue.get().then((item) => {
      got = item;
    });
    queue.addWithOptions({ afterMs: 1_000 }, "one");
    await clock.advance(999);
    expect(got).toBeUndefined();
    await clock.advance(1);
    await getting;
    expect(got).toBe("one");
  });

  it("WQ-036 delivers a new item to a waiting consumer at once", async () => {
    const queue = new PriorityQueue<string>({ clock: new FakeClock() });
    const getting = queue.get();
    queue.add("one");
    expect(await getting).toBe("one");
  });

  it("WQ-037 makes a delayed item ready at once when it is added again without a delay", async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    queue.addAfter("one", 3_600_000);
    const getting = queue.get();
    queue.add("one");
    expect(await getting).toBe("one");
    await clock.advance(3_600_000);
    expect(queue.size).toBe(0);
  });

  it("WQ-038 delivers delayed items by deadline", async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue<string>({ clock });
    queue.addAfter("second", 2_000);
    queue.addAfter("first", 1_000);
    await clock.advance(1_000);
    expect(queue.tryGet()).toBe("first");
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1_000);
    expect(queue.tryGet()).toBe("second");
  });

  it("WQ-039 counts delayed items from the moment they are ready, also the second time", async () => {
    const clock = new FakeClock();
    const metrics = new RecordedMetrics();
    const queue = new PriorityQueue<string>({ clock, name: "test", metrics: () => metrics });
    for (let times = 1; times <= 2; times++) {
      queue.addAfter("foo", 500);
      expect([queue.size, metrics.totalDepth, metrics.addCount]).toEqual([0, 0, times - 1]);
      await clock.advance(500);
      expect([queue.size, metrics.totalDepth, metrics.addCount]).toEqual([1, 1, times]);
      queue.tryGet();
      expect([queue.size, metrics.totalDepth]).toEqual([0, 0]);
      queue.done("foo");
    }
  });

  it("WQ-040 gives each item of one rate-limited add its own delay", async () => {
    const clock = new FakeClock();
    const rateLimiter: RateLimiter<string> = {
      when: (item) => (item === "foo" ? 5 : 640),
      forget: () => {},
      numRequeues: () => 0,
    };
    const queue = new PriorityQueue<string>({ clock, rateLimiter });
    queue.addWithOptions({ rateLimited: true }, "bar", "foo");
    await clock.advance(5);
    expect(queue.tryGet()).toBe("foo");
    await clock.advance(634);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    expect(queue.tryGet()).toBe("bar");
  });
});
