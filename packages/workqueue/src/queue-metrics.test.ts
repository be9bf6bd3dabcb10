import { once } from "node:events";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { PriorityQueue } from "./priority-queue.ts";
import { otherPriorities, priorityLabels, type QueueMetrics } from "./queue-metrics.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";

function recorded() {
  const counts = { depth: {} as Record<number, number>, adds: 0, retries: 0 };
  const seconds = { queue: [] as number[], work: [] as number[], unfinished: 0, longest: 0 };
  const moved = (priority: number, by: number): void => {
    counts.depth[priority] = (counts.depth[priority] ?? 0) + by;
  };
  const metrics = (): QueueMetrics => ({
    depth: { inc: (priority) => moved(priority, 1), dec: (priority) => moved(priority, -1) },
    adds: { inc: () => void counts.adds++ },
    queueDuration: { observe: (value) => seconds.queue.push(value) },
    workDuration: { observe: (value) => seconds.work.push(value) },
    unfinishedWork: { set: (value) => (seconds.unfinished = value) },
    longestRunningProcessor: { set: (value) => (seconds.longest = value) },
    retries: { inc: () => void counts.retries++ },
  });
  return { counts, seconds, metrics };
}

for (const Queue of [RateLimitingQueue, PriorityQueue]) {
  it(`reports adds, takes and durations of a ${Queue.name}`, async () => {
    const clock = new FakeClock();
    const { counts, seconds, metrics } = recorded();
    const queue = new Queue<string>({ name: "sites", metrics, clock });
    queue.add("a");
    queue.add("a");
    await clock.advance(30);
    queue.add("b");
    expect(counts).toEqual({ depth: { 0: 2 }, adds: 2, retries: 0 });
    await clock.advance(20);
    expect([queue.tryGet(), queue.tryGet()]).toEqual(["a", "b"]);
    expect([counts.depth, seconds.queue]).toEqual([{ 0: 0 }, [0.05, 0.02]]);
    await clock.advance(100);
    queue.add("a");
    queue.done("a");
    await clock.advance(25);
    queue.done("b");
    queue.done("b");
    queue.done("never taken");
    expect(seconds.work).toEqual([0.1, 0.125]);
    queue.tryGet();
    expect(seconds.queue).toEqual([0.05, 0.02, 0.025]);
    queue.addAfter("c", 1_000);
    expect(counts).toEqual({ depth: { 0: 0 }, adds: 3, retries: 1 });
    await clock.advance(1_000);
    expect(counts).toEqual({ depth: { 0: 1 }, adds: 4, retries: 1 });
    queue.shutDown();
  });

  it(`reports every half second the time of work in progress of a ${Queue.name}, until it is shut down`, async () => {
    const clock = new FakeClock();
    const { seconds, metrics } = recorded();
    const queue = new Queue<string>({ name: "sites", metrics, clock });
    queue.add("a");
    queue.tryGet();
    await clock.advance(300);
    queue.add("b");
    queue.tryGet();
    await clock.advance(199);
    expect(seconds).toMatchObject({ unfinished: 0, longest: 0 });
    await clock.advance(1);
    expect(seconds).toMatchObject({ unfinished: 0.7, longest: 0.5 });
    queue.done("a");
    await clock.advance(500);
    expect(seconds).toMatchObject({ unfinished: 0.7, longest: 0.7 });
    queue.shutDown();
    expect(clock.waiting).toBe(0);
  });

  it(`needs a name to report a ${Queue.name}`, () => {
    const { counts, metrics } = recorded();
    const clock = new FakeClock();
    new Queue<string>({ metrics, clock }).add("a");
    expect([counts.adds, clock.waiting]).toEqual([0, 0]);
  });
}

it("counts items by their current priority", () => {
  const { counts, metrics } = recorded();
  const queue = new PriorityQueue<string>({ name: "sites", metrics, clock: new FakeClock() });
  queue.addWithOptions({ priority: 1 }, "a", "b");
  queue.addWithOptions({ priority: 5 }, "a");
  expect(counts.depth).toEqual({ 1: 1, 5: 1 });
  queue.addWithOptions({ priority: 1 }, "late");
  queue.addWithOptions({ priority: 2, afterMs: 1_000 }, "delayed");
  queue.addWithOptions({ priority: 3, afterMs: 1_000 }, "delayed");
  expect(counts.depth).toEqual({ 1: 2, 5: 1 });
  expect(queue.tryGetWithPriority()).toEqual({ item: "a", priority: 5 });
  expect(counts.depth).toEqual({ 1: 2, 5: 0 });
  queue.shutDown();
});

it("gives 25 priorities their own label, and all others a shared one", () => {
  const label = priorityLabels();
  const labels = Array.from({ length: 27 }, (_, priority) => label(priority));
  expect(labels).toEqual([...Array.from({ length: 25 }, (_, i) => String(i)), otherPriorities, otherPriorities]);
  expect([label(24), label(25)]).toEqual(["24", otherPriorities]);
  expect(otherPriorities).toBe("exceeded_cardinality_limit");
  const few = priorityLabels({ max: 1 });
  expect([few(-3), few(0), few(-3)]).toEqual(["-3", otherPriorities, "-3"]);
});

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

it("keeps no timer while there is no work, even if the queue is never shut down", async () => {
  const clock = new FakeClock();
  const { seconds, metrics } = recorded();
  const queue = new RateLimitingQueue<string>({ clock, name: "sites", metrics });
  await clock.advance(500);
  expect(clock.waiting).toBe(0);
  queue.add("a");
  queue.tryGet();
  await clock.advance(1_000);
  expect([seconds.unfinished, seconds.longest, clock.waiting]).toEqual([1, 1, 1]);
  queue.done("a");
  await clock.advance(500);
  expect([seconds.unfinished, seconds.longest, clock.waiting]).toEqual([0, 0, 0]);
});

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
