import { FakeClock } from "@kubewright/clock/testing";
import { Queue } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";
import { RecordedMetrics } from "./recorded-metrics.ts";

function measuredQueue(): { clock: FakeClock; metrics: RecordedMetrics; queue: Queue<string> } {
  const clock = new FakeClock();
  const metrics = new RecordedMetrics();
  return { clock, metrics, queue: new Queue<string>({ name: "test", metrics: () => metrics, clock }) };
}

describe("metrics", () => {
  it("WQ-021 counts accepted adds and waiting items", () => {
    const { metrics, queue } = measuredQueue();
    queue.add("foo");
    expect([metrics.addCount, metrics.totalDepth]).toEqual([1, 1]);
    queue.add("foo");
    expect([metrics.addCount, metrics.totalDepth]).toEqual([1, 1]);
    queue.tryGet();
    expect([metrics.addCount, metrics.totalDepth]).toEqual([1, 0]);
    for (let times = 0; times < 5; times++) queue.add("foo");
    expect([metrics.addCount, metrics.totalDepth]).toEqual([2, 1]);
    queue.done("foo");
    queue.tryGet();
    expect([metrics.addCount, metrics.totalDepth]).toEqual([2, 0]);
  });

  it("WQ-022 observes the time of each item in the queue and in work, in seconds", async () => {
    const { clock, metrics, queue } = measuredQueue();
    queue.add("foo");
    await clock.advance(50);
    queue.tryGet();
    expect(metrics.latencies).toEqual([0.05]);
    await clock.advance(25);
    queue.add("foo");
    await clock.advance(475);
    expect(metrics.unfinishedSeconds.at(-1)).toBeCloseTo(0.45);
    expect(metrics.longestSeconds.at(-1)).toBeCloseTo(0.45);
    queue.done("foo");
    expect(metrics.workDurations).toEqual([0.5]);
    await clock.advance(100);
    queue.tryGet();
    expect(metrics.latencies[1]).toBeCloseTo(0.575);
    queue.done("foo");
    expect(metrics.workDurations).toHaveLength(2);
  });

  it("WQ-023 ends the periodic refresh with the shutdown", async () => {
    const { clock, metrics, queue } = measuredQueue();
    queue.add("foo");
    queue.tryGet();
    await clock.advance(1_000);
    expect(metrics.unfinishedSeconds).toEqual([0.5, 1]);
    queue.shutDown();
    await clock.advance(5_000);
    expect(metrics.unfinishedSeconds).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });
});
