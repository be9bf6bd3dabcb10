import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Queue } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Ending = "shutDown" | "shutDownWithDrain";
const endings: readonly Ending[] = ["shutDown", "shutDownWithDrain"];

async function consume<T>(queue: Queue<T>, seen: T[], work: (item: T) => void = () => {}): Promise<void> {
  for await (const item of queue.items()) {
    seen.push(item);
    work(item);
    await turn();
    queue.done(item);
  }
}

describe("basic queue", () => {
  it.each(endings)(
    "WQ-001 delivers every item of 50 producers to one of 10 consumers, then quits after %s",
    async (ending) => {
      const queue = new Queue<number>();
      const seen: number[] = [];
      const consumers = Array.from({ length: 10 }, () => consume(queue, seen));
      await Promise.all(
        Array.from({ length: 50 }, async (_, producer) => {
          for (let copy = 0; copy < 50; copy++) {
            queue.add(producer);
            await turn();
          }
        }),
      );
      await queue[ending]();
      queue.add(1_000);
      await Promise.all(consumers);
      expect(new Set(seen)).toEqual(new Set(Array.from({ length: 50 }, (_, producer) => producer)));
      expect(queue.size).toBe(0);
      expect(await queue.get()).toBeUndefined();
    },
  );

  it.each(endings)(
    "WQ-002 processes items again that were added during the work, and finishes after %s",
    async (ending) => {
      const queue = new Queue<number>();
      const rounds = new Map<number, number>();
      const consumers = Array.from({ length: 10 }, () =>
        consume(queue, [], (item) => {
          rounds.set(item, (rounds.get(item) ?? 0) + 1);
          if (rounds.get(item) === 1) queue.add(item);
        }),
      );
      for (let item = 0; item < 50; item++) queue.add(item);
      while ([...rounds.values()].filter((count) => count === 2).length < 50) await turn();
      await queue[ending]();
      await Promise.all(consumers);
      expect([...rounds.values()].every((count) => count === 2)).toBe(true);
      expect(queue.size).toBe(0);
    },
  );

  it("WQ-003 counts distinct waiting items", () => {
    const queue = new Queue<string>();
    queue.add("foo");
    expect(queue.size).toBe(1);
    queue.add("bar");
    expect(queue.size).toBe(2);
    queue.add("foo");
    expect(queue.size).toBe(2);
  });

  it("WQ-004 delivers items that were added during the work after done, exactly once", async () => {
    const queue = new Queue<string>();
    queue.add("foo");
    const first = await queue.get();
    expect(first).toBe("foo");
    queue.add("foo");
    queue.add("foo");
    expect(queue.size).toBe(0);
    expect(queue.tryGet()).toBeUndefined();

    queue.done("foo");
    expect(await queue.get()).toBe("foo");
    queue.done("foo");
    expect(queue.size).toBe(0);
  });

  it("WQ-005 delivers an item added twice once, and informs the ordering about the second time", async () => {
    const items: string[] = [];
    const touched: string[] = [];
    const queue = new Queue<string>({
      order: {
        get length() {
          return items.length;
        },
        push: (item) => items.push(item),
        shift: () => items.shift(),
        touch: (item) => touched.push(item),
      },
    });
    queue.add("bar");
    queue.add("bar");
    expect(touched).toEqual(["bar"]);
    expect(await queue.get()).toBe("bar");
    queue.done("bar");
    expect(queue.size).toBe(0);
  });

  it("WQ-006 shuts down at once although items are being processed", async () => {
    const queue = new Queue<string>();
    queue.add("foo");
    queue.add("bar");
    await queue.get();
    await queue.get();
    queue.shutDown();
    expect(queue.isShuttingDown).toBe(true);
    expect(queue.isProcessing("foo")).toBe(true);
    expect(await queue.get()).toBeUndefined();
  });

  it("WQ-007 drains until done was called for everything in work, and answers new consumers meanwhile", async () => {
    const queue = new Queue<string>();
    queue.add("foo");
    queue.add("bar");
    await queue.get();
    await queue.get();
    let isDrained = false;
    const drained = queue.shutDownWithDrain().then(() => {
      isDrained = true;
    });
    expect(await queue.get()).toBeUndefined();
    queue.done("foo");
    await turn();
    expect(isDrained).toBe(false);
    queue.done("bar");
    await drained;
    expect(isDrained).toBe(true);
  });

  it("WQ-008 keeps no reference to a finished item", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const queue = new Queue<object>();
    const finished = await (async () => {
      const item = {};
      queue.add(item);
      const got = await queue.get();
      if (got) queue.done(got);
      return new WeakRef(item);
    })();
    for (let tries = 0; tries < 20 && finished.deref(); tries++) {
      await turn();
      collect();
    }
    expect(finished.deref()).toBeUndefined();
    expect(queue.size).toBe(0);
  });
});
