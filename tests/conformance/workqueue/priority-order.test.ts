import { FakeClock } from "@kubewright/clock/testing";
import { PriorityQueue } from "@kubewright/workqueue";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecordedMetrics } from "./recorded-metrics.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function measuredQueue(): { clock: FakeClock; metrics: RecordedMetrics; queue: PriorityQueue<string> } {
  const clock = new FakeClock();
  const metrics = new RecordedMetrics();
  return { clock, metrics, queue: new PriorityQueue<string>({ name: "test", metrics: () => metrics, clock }) };
}

function takeAll(queue: PriorityQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) taken.push(item);
  return taken;
}

describe("priority queue: order and deduplication", () => {
  it("WQ-024 delivers items of one priority in the order in which they were added", async () => {
    const { queue, metrics } = measuredQueue();
    queue.addWithOptions({}, "foo");
    queue.add("bar");
    expect(await queue.getWithPriority()).toEqual({ item: "foo", priority: 0 });
    expect(await queue.get()).toBe("bar");
    expect(metrics.depths.get(0)).toBe(0);
    expect(metrics.addCount).toBe(2);
  });

  it("WQ-025 skips an item that is being processed", async () => {
    const { queue } = measuredQueue();
    queue.add("foo");
    expect(await queue.get()).toBe("foo");
    queue.add("foo");
    queue.add("bar");
    queue.add("baz");
    expect(await queue.get()).toBe("bar");
  });

  it("WQ-026 delivers an item added during its work, after done, before items that were added later", async () => {
    const { queue } = measuredQueue();
    queue.add("foo");
    await queue.get();
    queue.add("foo");
    queue.add("later");
    queue.done("foo");
    expect(takeAll(queue)).toEqual(["foo", "later"]);
  });

  it("WQ-027 keeps one entry, and counts one add, for an item added twice", () => {
    const { queue, metrics } = measuredQueue();
    queue.add("foo");
    queue.add("foo");
    expect(queue.size).toBe(1);
    expect(metrics.addCount).toBe(1);
    expect(takeAll(queue)).toEqual(["foo"]);
  });

  it("WQ-028 counts an item added during its work at once, and delivers it after done", () => {
    const { queue, metrics } = measuredQueue();
    queue.add("foo");
    queue.tryGet();
    queue.add("foo");
    expect(queue.size).toBe(1);
    expect(metrics.totalDepth).toBe(1);
    expect(queue.tryGet()).toBeUndefined();
    queue.done("foo");
    expect(queue.tryGet()).toBe("foo");
    expect(queue.size).toBe(0);
  });

  it("WQ-029 keeps the higher of two priorities, whichever came first", async () => {
    const { queue } = measuredQueue();
    queue.addWithOptions({ priority: 1 }, "foo");
    queue.addWithOptions({ priority: 2 }, "foo");
    expect(await queue.getWithPriority()).toEqual({ item: "foo", priority: 2 });
    queue.done("foo");
    queue.addWithOptions({ priority: 2 }, "foo");
    queue.addWithOptions({ priority: 1 }, "foo");
    queue.add("foo");
    expect(await queue.getWithPriority()).toEqual({ item: "foo", priority: 2 });
  });

  it("WQ-030 moves an item ahead of others when its priority rises", () => {
    const { queue } = measuredQueue();
    queue.add("foo");
    queue.add("bar");
    queue.add("baz");
    queue.addWithOptions({ priority: 1 }, "baz");
    expect(takeAll(queue)).toEqual(["baz", "foo", "bar"]);
  });

  it("WQ-031 leaves a ready item ready when it is added again with a delay", () => {
    const { queue } = measuredQueue();
    queue.add("foo");
    queue.addAfter("foo", 3_600_000);
    expect(queue.tryGet()).toBe("foo");
    expect(queue.delayedSize).toBe(0);
  });

  it("WQ-032 delivers by priority, then in order, whether the delay is past, absent or in the future", async () => {
    const { queue, clock } = measuredQueue();
    const priorities = [10, 5, 0, -5, -10];
    const delays = [-1_000, 0, 1_000];
    for (let index = 0; index < 1_000; index++)
      for (const priority of priorities)
        queue.addWithOptions({ priority, afterMs: delays[index % 3] }, `${priority}/${index}`);
    await clock.advance(1_000);
    const taken = takeAll(queue).map((item) => item.split("/").map(Number));
    expect(taken).toHaveLength(5_000);
    expect(taken.map(([priority]) => priority)).toEqual(priorities.flatMap((priority) => Array(1_000).fill(priority)));
    const ofZero = taken.filter(([priority]) => priority === 0).map(([, index]) => index);
    const wasReady = (index: number | undefined): boolean => (index ?? 0) % 3 !== 2;
    const everyIndex = Array.from({ length: 1_000 }, (_, index) => index);
    expect(ofZero).toEqual([...everyIndex.filter(wasReady), ...everyIndex.filter((index) => !wasReady(index))]);
  });

  it("WQ-033 finishes 20 rounds of 1,000 mixed adds with 100 consumers", async () => {
    const { queue, clock } = measuredQueue();
    const seen = new Set<string>();
    const consumers = Array.from({ length: 100 }, async () => {
      for await (const item of queue.items()) {
        seen.add(item);
        await turn();
        queue.done(item);
      }
    });
    for (let round = 0; round < 20; round++) {
      for (let index = 0; index < 1_000; index++) {
        const afterMs = index % 2 === 0 ? 0 : index;
        queue.addWithOptions({ priority: index % 7, afterMs, rateLimited: index % 3 === 0 }, `${round}/${index}`);
      }
      await turn();
    }
    await clock.advance(1_000);
    while (queue.size > 0) await turn();
    queue.shutDown();
    await Promise.all(consumers);
    expect(seen.size).toBe(20_000);
  });

  it("WQ-034 never delivers twice, merges duplicates, and uses the highest priority added", async () => {
    const step = fc.oneof(
      fc.record({
        op: fc.constant("add" as const),
        item: fc.integer({ min: 0, max: 9 }).map(String),
        priority: fc.integer({ min: -3, max: 3 }),
        afterMs: fc.constantFrom(0, 0, 5, 50),
      }),
      fc.record({ op: fc.constant("get" as const) }),
      fc.record({ op: fc.constant("done" as const), pick: fc.nat(9) }),
      fc.record({ op: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { queue, clock, metrics } = measuredQueue();
        const added = new Map<string, number>();
        const inWork = new Set<string>();
        for (const each of steps) {
          if (each.op === "add") {
            queue.addWithOptions({ priority: each.priority, afterMs: each.afterMs }, each.item);
            added.set(each.item, Math.max(added.get(each.item) ?? Number.NEGATIVE_INFINITY, each.priority));
          } else if (each.op === "advance") {
            await clock.advance(each.ms);
          } else if (each.op === "done") {
            const item = [...inWork][each.pick];
            if (item !== undefined) queue.done(item);
            if (item !== undefined) inWork.delete(item);
          } else if (queue.size > 0) {
            const giveUp = new AbortController();
            const getting = queue.getWithPriority(giveUp.signal);
            giveUp.abort();
            const taken = await getting;
            if (!taken) continue; // all that is ready is in work
            expect(inWork.has(taken.item)).toBe(false);
            expect(taken.priority).toBe(added.get(taken.item));
            inWork.add(taken.item);
            added.delete(taken.item);
          }
          expect(metrics.totalDepth).toBe(queue.size);
        }
        expect(metrics.lowestDepth).toBe(0);
        expect(queue.size + queue.delayedSize).toBe(added.size);
        queue.shutDown();
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});
