import { expect, it } from "vitest";
import { Queue } from "./queue.ts";

it("passes items to consumers in the order in which they asked", async () => {
  const queue = new Queue<string>();
  const first = queue.get();
  const second = queue.get();
  queue.add("a");
  queue.add("b");
  expect(await first).toBe("a");
  expect(await second).toBe("b");
});

it("gives the item to the next consumer when the first has given up", async () => {
  const queue = new Queue<string>();
  const giveUp = new AbortController();
  const first = queue.get(giveUp.signal);
  const second = queue.get();
  giveUp.abort();
  queue.add("a");
  expect(await first).toBeUndefined();
  expect(await second).toBe("a");
});

it("ends a consumer's loop when its signal aborts, and keeps the items for others", async () => {
  const queue = new Queue<string>();
  const stop = new AbortController();
  const seen: string[] = [];
  const loop = (async () => {
    for await (const item of queue.items(stop.signal)) {
      seen.push(item);
      queue.done(item);
    }
  })();
  queue.add("a");
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  queue.add("b");
  await loop;
  expect(seen).toEqual(["a"]);
  expect(queue.size).toBe(1);
});

it("ends a loop that breaks, without taking another item", async () => {
  const queue = new Queue<string>();
  queue.add("a");
  queue.add("b");
  for await (const item of queue.items()) {
    queue.done(item);
    break;
  }
  expect(queue.size).toBe(1);
});

it("returns the causes of all adds of an item in progress", () => {
  const queue = new Queue<string, string>();
  queue.add("web", "created");
  queue.add("web", "owned pod ready");
  queue.add("web");
  expect(queue.causesOf("web")).toEqual(["created", "owned pod ready"]);
  queue.tryGet();
  queue.add("web", "updated");
  expect(queue.causesOf("web")).toEqual(["created", "owned pod ready"]);
  queue.done("web");
  expect(queue.causesOf("web")).toEqual(["updated"]);
  queue.tryGet();
  queue.done("web");
  expect(queue.causesOf("web")).toEqual([]);
});

it("also drains waiting items, if there is a consumer", async () => {
  const queue = new Queue<string>();
  queue.add("a");
  queue.add("b");
  const seen: string[] = [];
  const drained = queue.shutDownWithDrain();
  for await (const item of queue.items()) {
    seen.push(item);
    queue.done(item);
  }
  await drained;
  expect(seen).toEqual(["a", "b"]);
});

it("also drains items that were added again before the shutdown", async () => {
  const queue = new Queue<string>();
  queue.add("a");
  queue.tryGet();
  queue.add("a");
  let isDrained = false;
  const drained = queue.shutDownWithDrain().then(() => {
    isDrained = true;
  });
  expect(await queue.get()).toBeUndefined();
  queue.done("a");
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  expect(await queue.get()).toBe("a");
  queue.done("a");
  await drained;
});

it("ends a drain on a plain shutdown", async () => {
  const queue = new Queue<string>();
  queue.add("a");
  queue.tryGet();
  const drained = queue.shutDownWithDrain();
  queue.shutDown();
  await drained;
  expect(queue.isProcessing("a")).toBe(true);
});

it("ignores done for an item that is not in progress", () => {
  const queue = new Queue<string>();
  queue.add("a");
  queue.done("a");
  queue.done("b");
  expect(queue.size).toBe(1);
});
