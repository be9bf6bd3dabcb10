import { expect, it } from "vitest";
import { Causes, Fifo, ItemSet, Queue, Waiters } from "./queue.ts";

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

it("contains the same items as a Set, for any number of changes", () => {
  const [ours, theirs] = [new ItemSet<number>(), new Set<number>()];
  for (let step = 0; step < 2_000; step++) {
    const item = (step * 7_919) % 53;
    if (step % 3 !== 0) {
      if (!theirs.has(item)) {
        ours.add(item);
        theirs.add(item);
      }
    } else {
      expect(ours.delete(item)).toBe(theirs.delete(item));
    }
    expect(ours.has(item)).toBe(theirs.has(item));
    expect(ours.size).toBe(theirs.size);
  }
  for (const item of theirs) expect(ours.delete(item)).toBe(true);
  expect(ours.size).toBe(0);
});

it("compares like a Set", () => {
  const set = new ItemSet<number>();
  set.add(Number.NaN);
  set.add(0);
  expect(set.has(Number.NaN)).toBe(true);
  expect(set.delete(-0)).toBe(true);
  expect(set.delete(Number.NaN)).toBe(true);
  expect(set.size).toBe(0);
});

it("returns items in order, across growth and moving up", () => {
  const fifo = new Fifo<number>();
  const expected: number[] = [];
  let next = 0;
  for (let round = 0; round < 300; round++) {
    for (let pushes = 0; pushes < (round % 17) + 1; pushes++) {
      fifo.push(next);
      expected.push(next++);
    }
    for (let shifts = 0; shifts < round % 13; shifts++) expect(fifo.shift()).toBe(expected.shift());
    expect(fifo.length).toBe(expected.length);
  }
  while (expected.length > 0) expect(fifo.shift()).toBe(expected.shift());
  expect(fifo.shift()).toBeUndefined();
});

it("continues after a burst whose memory it released", () => {
  const fifo = new Fifo<number>();
  for (let item = 0; item < 5_000; item++) fifo.push(item);
  for (let item = 0; item < 5_000; item++) fifo.shift();
  fifo.push(7);
  expect(fifo.shift()).toBe(7);
});

it("drops the places of consumers that gave up, and keeps the others in order", async () => {
  const waiters = new Waiters<string>();
  const first = waiters.wait(undefined);
  for (let i = 0; i < 1_000; i++) {
    const stop = new AbortController();
    const abandoned = waiters.wait(stop.signal);
    stop.abort();
    expect(await abandoned).toBeUndefined();
  }
  const second = waiters.wait(undefined);
  expect(waiters.length).toBe(2);
  expect(waiters.places).toBeLessThan(100);
  waiters.give("a");
  waiters.give("b");
  expect([await first, await second, waiters.length]).toEqual(["a", "b", 0]);
});

it("keeps waiting consumers when many before and after them give up at once", async () => {
  const waiters = new Waiters<number>();
  const stop = new AbortController();
  const kept: Promise<number | undefined>[] = [];
  for (let i = 0; i < 500; i++) {
    void waiters.wait(stop.signal);
    if (i % 100 === 0) kept.push(waiters.wait(undefined));
  }
  stop.abort();
  expect([waiters.length, waiters.places < 100]).toEqual([5, true]);
  for (let i = 0; i < 5; i++) waiters.give(i);
  expect(await Promise.all(kept)).toEqual([0, 1, 2, 3, 4]);
});

it("keeps a limited number of the latest causes, each once", () => {
  const causes = new Causes<string, { id: number; text: string }>({ maxCauses: 2, causeKey: (cause) => cause.id });
  causes.add("web", { id: 1, text: "first" });
  causes.add("web", { id: 2, text: "second" });
  causes.add("web", { id: 1, text: "first again" });
  expect(causes.of("web", false).map(({ text }) => text)).toEqual(["second", "first again"]);
  causes.add("web", { id: 3, text: "third" });
  expect(causes.of("web", false).map(({ text }) => text)).toEqual(["first again", "third"]);
});

it("separates causes of work in progress from later ones", () => {
  const causes = new Causes<string, string>({});
  causes.add("web", "created");
  causes.take("web");
  causes.add("web", "updated");
  expect(causes.of("web", true)).toEqual(["created"]);
  causes.done("web");
  expect(causes.of("web", false)).toEqual(["updated"]);
});
