import { FakeClock } from "@kubewright/clock/testing";
import { PriorityQueue, priorityLabels } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";
import { RecordedMetrics } from "./recorded-metrics.ts";

function seriesAfter(priorities: readonly number[]): Map<string, number> {
  const labelOf = priorityLabels();
  const series = new Map<string, number>();
  for (const priority of priorities) series.set(labelOf(priority), (series.get(labelOf(priority)) ?? 0) + 1);
  return series;
}

describe("priority queue: metrics", () => {
  it("WQ-044 counts depth by priority, updates it when a ready item rises, and counts delayed adds as retries", async () => {
    const clock = new FakeClock();
    const metrics = new RecordedMetrics();
    const queue = new PriorityQueue<string>({ clock, name: "test", metrics: () => metrics });
    queue.addWithOptions({ priority: 1 }, "foo");
    expect([...metrics.depths]).toEqual([[1, 1]]);
    queue.addWithOptions({ priority: 3 }, "foo");
    expect([...metrics.depths]).toEqual([
      [1, 0],
      [3, 1],
    ]);
    expect([metrics.addCount, metrics.retryCount]).toEqual([1, 0]);

    queue.addWithOptions({ priority: 5, afterMs: 1_000 }, "bar");
    queue.addWithOptions({ priority: 7, afterMs: 1_000 }, "bar");
    expect([metrics.addCount, metrics.retryCount, metrics.totalDepth]).toEqual([1, 2, 1]);
    await clock.advance(1_000);
    expect(metrics.depths.get(7)).toBe(1);
    expect(metrics.depths.get(5)).toBeUndefined();
    expect(metrics.addCount).toBe(2);
  });

  it("WQ-045 gives at most 25 priorities their own label and the rest a placeholder", () => {
    const upTo = (count: number): number[] => Array.from({ length: count }, (_, priority) => priority);
    expect(seriesAfter(upTo(25)).size).toBe(25);
    expect(seriesAfter(upTo(26)).size).toBe(26);
    expect(seriesAfter(upTo(26)).get("exceeded_cardinality_limit")).toBe(1);
    expect(seriesAfter(upTo(30)).size).toBe(26);
    expect(seriesAfter(upTo(30)).get("exceeded_cardinality_limit")).toBe(5);
  });

  it("WQ-046 counts 200 adds of one priority in one series", () => {
    expect([...seriesAfter(Array<number>(200).fill(4))]).toEqual([["4", 200]]);
  });
});
