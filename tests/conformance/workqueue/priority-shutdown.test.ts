import { PriorityQueue } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";

describe("priority queue: shutdown", () => {
  it("WQ-041 wakes waiting consumers without an item", async () => {
    const queue = new PriorityQueue<string>();
    const getting = queue.getWithPriority();
    queue.shutDown();
    expect(await getting).toBeUndefined();
    expect(queue.isShuttingDown).toBe(true);
  });

  it("WQ-042 delivers nothing after a shutdown, even if items waited, and ignores adds", async () => {
    const queue = new PriorityQueue<string>();
    queue.add("one");
    queue.shutDown();
    queue.add("two");
    expect(queue.size).toBe(1);
    expect([await queue.get(), await queue.getWithPriority(), queue.tryGet()]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("WQ-043 does not wait when asked to drain", async () => {
    const queue = new PriorityQueue<string>();
    queue.add("one");
    await queue.get();
    await queue.shutDownWithDrain();
    expect(queue.isProcessing("one")).toBe(true);
    expect(queue.isShuttingDown).toBe(true);
  });
});
