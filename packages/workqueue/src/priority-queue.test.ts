import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { PriorityQueue } from "./priority-queue.ts";

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
