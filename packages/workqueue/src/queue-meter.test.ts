import { once } from "node:events";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { PriorityQueue } from "./priority-queue.ts";
import type { QueueMetrics } from "./queue-metrics.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";

const broken = (): never => {
  throw new Error("the metrics backend is gone");
};
const metrics = (): QueueMetrics => ({
  depth: { inc: broken, dec: broken },
  adds: { inc: broken },
  queueDuration: { observe: broken },
  workDuration: { observe: broken },
  unfinishedWork: { set: broken },
  longestRunningProcessor: { set: broken },
  retries: { inc: broken },
});

for (const Queue of [RateLimitingQueue, PriorityQueue]) {
  it(`loses no item of a ${Queue.name} if metrics throw, and warns once`, async () => {
    const clock = new FakeClock();
    const warned = once(process, "warning");
    const queue = new Queue<string>({ name: "sites", metrics, clock });
    queue.add("a");
    queue.addAfter("b", 1_000);
    const taken = [queue.tryGet()];
    queue.add("a");
    queue.done("a");
    await clock.advance(1_000);
    taken.push(queue.tryGet(), queue.tryGet());
    expect(taken).toEqual(["a", "a", "b"]);
    expect(String((await warned)[0])).toContain(
      "the metrics of a work queue threw: Error: the metrics backend is gone",
    );
    queue.shutDown();
  });
}

it("loses no item if metrics throw an unreadable value", async () => {
  const fails = (): never => {
    throw Object.create(null);
  };
  const warned = once(process, "warning");
  const queue = new PriorityQueue<string>({ name: "sites", metrics: () => ({ ...metrics(), adds: { inc: fails } }) });
  queue.add("a");
  expect(queue.tryGet()).toBe("a");
  expect(String((await warned)[0])).toContain("the metrics of a work queue threw: an unreadable value");
  queue.shutDown();
});

for (const Queue of [RateLimitingQueue, PriorityQueue])
  it(`of a ${Queue.name} does not count the time for which an item is held as work`, async () => {
    const clock = new FakeClock();
    const ignored = { inc: () => {}, dec: () => {}, observe: () => {} };
    const worked: number[] = [];
    let [unfinished, longest] = [0, 0];
    const queue = new Queue<string>({
      name: "sites",
      clock,
      metrics: () => ({
        depth: ignored,
        adds: ignored,
        queueDuration: ignored,
        retries: ignored,
        workDuration: { observe: (seconds) => void worked.push(seconds) },
        unfinishedWork: { set: (seconds) => (unfinished = Math.max(unfinished, seconds)) },
        longestRunningProcessor: { set: (seconds) => (longest = Math.max(longest, seconds)) },
      }),
    });
    queue.add("a");
    const held = queue.tryGet() ?? "none";
    queue.hold(held);
    queue.add(held);
    await clock.advance(5_000);
    expect([queue.isProcessing("a"), queue.tryGet()]).toEqual([true, undefined]);
    queue.done(held);
    expect([worked, unfinished, longest]).toEqual([[], 0, 0]);
    expect(queue.tryGet()).toBe("a");
    await clock.advance(2_000);
    queue.done("a");
    expect([worked, unfinished, longest]).toEqual([[2], 2, 2]);
    queue.shutDown();
  });
