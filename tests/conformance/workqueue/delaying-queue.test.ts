import { FakeClock } from "@kubewright/clock/testing";
import { DelayingQueue } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

describe("delaying queue", () => {
  it("WQ-009 delivers an item after its delay, once, and the heartbeat does not add it again", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("foo", 50);
    expect(queue.size).toBe(0);
    await clock.advance(60);
    expect(queue.size).toBe(1);
    queue.done((await queue.get()) ?? "");
    await clock.advance(10_000);
    expect(queue.size).toBe(0);
  });

  it("WQ-010 adds at once without a delay, ignores adds after a shutdown, and wakes for the earliest or every 10 s", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("now", 0);
    queue.addAfter("past", -1);
    expect(queue.size).toBe(2);

    queue.addAfter("later", 60_000);
    queue.addAfter("soon", 1_000);
    await clock.advance(1_000);
    expect(queue.size).toBe(3);
    await clock.advance(58_999);
    expect(queue.size).toBe(3);
    await clock.advance(1);
    expect(queue.size).toBe(4);

    queue.addAfter("dropped", 1_000);
    queue.shutDown();
    queue.addAfter("ignored", 0);
    queue.addAfter("ignored later", 1);
    await clock.advance(10_000);
    expect(queue.size).toBe(4);
    expect(clock.waiting).toBe(0);
  });

  it("WQ-011 keeps the earlier of two times and delivers the item once", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("foo", 50);
    queue.addAfter("foo", 70);
    await clock.advance(60);
    expect(queue.size).toBe(1);
    queue.done((await queue.get()) ?? "");
    await clock.advance(20);
    expect(queue.size).toBe(0);

    queue.addAfter("foo", 50);
    queue.addAfter("foo", 30);
    await clock.advance(40);
    expect(queue.size).toBe(1);
    queue.done((await queue.get()) ?? "");
    await clock.advance(20);
    expect(queue.size).toBe(0);
  });

  it("WQ-012 delivers a later added item with a shorter delay first", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("foo", 500);
    queue.addAfter("bar", 10);
    await clock.advance(20);
    expect(queue.size).toBe(1);
    expect(await queue.get()).toBe("bar");
    await clock.advance(500);
    expect(await queue.get()).toBe("foo");
  });

  it("WQ-013 delivers items that became due at once in the order of their deadlines", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("foo", 1_000);
    queue.addAfter("bar", 500);
    queue.addAfter("baz", 250);
    await clock.advance(2_000);
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(["baz", "bar", "foo"]);
  });
});
