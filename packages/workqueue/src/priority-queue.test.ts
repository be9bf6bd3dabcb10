import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { PriorityQueue } from "./priority-queue.ts";
import type { RateLimiter } from "./rate-limiters.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";

const nothing = { inc() {}, dec() {}, set() {}, observe() {} };
const silentMetrics = {
  depth: nothing,
  adds: nothing,
  queueDuration: nothing,
  workDuration: nothing,
  unfinishedWork: nothing,
  longestRunningProcessor: nothing,
  retries: nothing,
};

it("merges causes of adds with different priorities and delays", async () => {
  const clock = new FakeClock();
  const queue = new PriorityQueue<string, string>({ clock });
  queue.addWithOptions({ afterMs: 1_000, cause: "retry" }, "web");
  queue.addWithOptions({ priority: 5, cause: "created" }, "web");
  expect(queue.tryGet()).toBe("web");
  expect(queue.causesOf("web")).toEqual(["retry", "created"]);
  queue.done("web");
  await clock.advance(1_000);
  expect(queue.size).toBe(0);
});

it("counts retries with its rate limiter until forgotten", () => {
  const queue = new PriorityQueue<string>({ clock: new FakeClock() });
  queue.addRateLimited("web");
  queue.addRateLimited("web");
  expect(queue.numRequeues("web")).toBe(2);
  queue.forget("web");
  expect(queue.numRequeues("web")).toBe(0);
  queue.shutDown();
});

it("lists waiting items with their times, but not items in progress", async () => {
  const clock = new FakeClock();
  const queue = new PriorityQueue<string>({ clock, name: "sites", metrics: () => silentMetrics });
  queue.addWithOptions({ priority: 3 }, "worked");
  await clock.advance(1_000);
  const now = clock.monotonic();
  queue.addWithOptions({ priority: 1 }, "ready");
  queue.addWithOptions({ afterMs: 5_000 }, "later");
  expect(queue.tryGet()).toBe("worked");
  expect([...queue.waiting()]).toEqual([
    { item: "ready", priority: 1, readySinceMs: now },
    { item: "later", priority: 0, dueMs: now + 5_000 },
  ]);
  queue.shutDown();
});

const queueOf = (rateLimiter?: RateLimiter<string>) => {
  const clock = new FakeClock();
  return { clock, queue: new PriorityQueue<string>({ clock, rateLimiter }) };
};
const drained = (queue: PriorityQueue<string>) => {
  const taken: (string | number)[] = [];
  for (let next = queue.tryGetWithPriority(); next; next = queue.tryGetWithPriority())
    taken.push(next.item, next.priority);
  return taken;
};
const waits = (...ms: number[]): RateLimiter<string> & { forgotten: string[] } => {
  const forgotten: string[] = [];
  return {
    forgotten,
    when: () => ms.shift() ?? 0,
    forget: (item) => void forgotten.push(item),
    numRequeues: () => ms.length,
  };
};

it("returns items by priority, then by arrival", () => {
  const { queue } = queueOf();
  queue.add("zero");
  queue.addWithOptions({ priority: -1 }, "low");
  queue.addWithOptions({ priority: 2 }, "first", "second");
  queue.addWithOptions({ priority: 1 }, "raised");
  queue.addWithOptions({ priority: 2 }, "raised");
  queue.addWithOptions({ priority: 0 }, "first");
  expect(queue.size).toBe(5);
  expect(drained(queue)).toEqual(["first", 2, "second", 2, "raised", 2, "zero", 0, "low", -1]);
});

it("keeps the earlier time and the higher priority of a delayed item", async () => {
  const { clock, queue } = queueOf();
  queue.addWithOptions({ priority: 3, afterMs: 100 }, "a");
  queue.addWithOptions({ priority: 1, afterMs: 10 }, "a");
  queue.addWithOptions({ afterMs: 10 }, "b", "c");
  expect([queue.size, queue.delayedSize]).toEqual([0, 3]);
  queue.add("c");
  expect([queue.size, queue.delayedSize]).toEqual([1, 2]);
  await clock.advance(9);
  expect(queue.size).toBe(1);
  await clock.advance(1);
  expect(drained(queue)).toEqual(["a", 3, "c", 0, "b", 0]);
  await clock.advance(1_000);
  expect(queue.size).toBe(0);
});

it("does not delay an item that is already ready", async () => {
  const { queue } = queueOf();
  queue.add("a");
  queue.addAfter("a", 1_000);
  expect([queue.size, queue.delayedSize, queue.tryGet()]).toEqual([1, 0, "a"]);
});

it("returns an item again only after done, by its priority", () => {
  const { queue } = queueOf();
  queue.add("a");
  expect(queue.tryGet()).toBe("a");
  expect(queue.isProcessing("a")).toBe(true);
  queue.addWithOptions({ priority: 1 }, "b");
  queue.add("a");
  queue.addWithOptions({ priority: 2 }, "a");
  expect(queue.size).toBe(2);
  queue.done("never taken");
  expect(queue.tryGet()).toBe("b");
  expect([queue.tryGet(), queue.size]).toEqual([undefined, 1]);
  queue.done("a");
  expect(queue.isProcessing("a")).toBe(false);
  expect(queue.tryGetWithPriority()).toEqual({ item: "a", priority: 2 });
  queue.done("a");
  expect([queue.size, queue.tryGet()]).toEqual([0, undefined]);
});

it("uses the rate limiter only on request, and the shorter of two delays", () => {
  const limiter = waits(50, 50, 50);
  const { queue } = queueOf(limiter);
  queue.add("now");
  queue.addRateLimited("limited");
  queue.addWithOptions({ rateLimited: true, afterMs: 10 }, "sooner");
  queue.addWithOptions({ rateLimited: true, afterMs: 90 }, "later");
  expect([queue.delayedSize, queue.numRequeues("limited")]).toEqual([3, 0]);
  queue.forget("limited");
  expect(limiter.forgotten).toEqual(["limited"]);
});

it("delays failures by 5 ms, doubling, by default", async () => {
  const { clock, queue } = queueOf();
  queue.addRateLimited("a");
  await clock.advance(4);
  expect(queue.size).toBe(0);
  await clock.advance(1);
  expect(drained(queue)).toEqual(["a", 0]);
  queue.done("a");
  queue.addRateLimited("a");
  await clock.advance(9);
  expect(queue.size).toBe(0);
  await clock.advance(1);
  expect(queue.size).toBe(1);
});

it("serves waiting consumers, and returns and accepts nothing after a shutdown", async () => {
  const { clock, queue } = queueOf();
  const stop = new AbortController();
  const gaveUp = queue.get(stop.signal);
  const first = queue.getWithPriority();
  const second = queue.get();
  stop.abort();
  queue.addWithOptions({ priority: 4 }, "a");
  expect([await gaveUp, await first]).toEqual([undefined, { item: "a", priority: 4 }]);
  expect(await queue.get(stop.signal)).toBeUndefined();
  queue.add("a");
  queue.done("a");
  expect(await second).toBe("a");
  queue.add("waits");
  queue.addAfter("delayed", 10);
  const third = queue.tryGet();
  const last = queue.get();
  queue.add("b");
  expect([third, await last]).toEqual(["waits", "b"]);
  const dismissed = queue.get();
  expect(queue.isShuttingDown).toBe(false);
  await queue.shutDownWithDrain();
  expect(await dismissed).toBeUndefined();
  queue.add("c");
  expect([queue.isShuttingDown, queue.size, queue.delayedSize, clock.waiting]).toEqual([true, 0, 0, 0]);
  expect([queue.tryGet(), await queue.get(), queue.tryGetWithPriority()]).toEqual([undefined, undefined, undefined]);
});

it("uses the limiter's delay for a retry, in a queue without priorities as well", async () => {
  const clock = new FakeClock();
  const limiter = waits(40, 0, 30);
  const queue = new RateLimitingQueue<string>({ clock, rateLimiter: limiter });
  queue.addRateLimited("a");
  queue.addRateLimited("b");
  expect([queue.size, queue.delayedSize, queue.tryGet()]).toEqual([1, 1, "b"]);
  await clock.advance(39);
  expect(queue.size).toBe(0);
  await clock.advance(1);
  expect([queue.size, queue.numRequeues("a")]).toEqual([1, 1]);
  queue.forget("a");
  expect([limiter.forgotten, queue.size]).toEqual([["a"], 1]);
  queue.addAfter("a", 10);
  queue.addAfter("c", -1);
  expect([queue.size, queue.delayedSize]).toEqual([2, 1]);
  queue.shutDown();
  queue.addRateLimited("d");
  queue.addAfter("d", 10);
  queue.add("d");
  expect([queue.size, queue.delayedSize, queue.numRequeues("d"), clock.waiting]).toEqual([2, 0, 1, 0]);
});
