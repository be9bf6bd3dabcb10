import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { WriteQueue, type WriteQueueOptions } from "./write-queue.ts";

/** Writes that the test ends, and those begun so far. */
function start(options: WriteQueueOptions = {}) {
  const clock = new FakeClock();
  const queue = new WriteQueue({ clock, random: () => 0, ...options });
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const add = (name: string, key = name): boolean =>
    queue.add({
      key,
      write: () => {
        begun.push(name);
        const end = Promise.withResolvers<void>();
        ends.set(name, end);
        return end.promise;
      },
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    if (error) ends.get(name)?.reject(error);
    else ends.get(name)?.resolve();
    await clock.advance(0);
  };
  return { clock, queue, begun, add, end };
}

describe("WriteQueue", () => {
  it("makes a limited number of writes at a time, in order", async () => {
    const { clock, begun, add, end } = start({ writers: 2 });
    for (const name of ["a", "b", "c"]) add(name);
    await clock.advance(0);
    expect(begun).toEqual(["a", "b"]);
    await end("b");
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("makes writes of one key one after the other, without occupying a writer", async () => {
    const { clock, begun, add, end } = start({ writers: 2 });
    add("first", "series");
    add("second", "series");
    add("third", "series");
    add("other");
    await clock.advance(0);
    expect(begun).toEqual(["first", "other"]);
    await end("first");
    expect(begun).toEqual(["first", "other", "second"]);
    await end("second");
    expect(begun).toEqual(["first", "other", "second", "third"]);
  });

  it("continues with a key whose write was abandoned", async () => {
    const { clock, begun, add, end } = start({ maxTries: 1 });
    add("first", "series");
    add("second", "series");
    await clock.advance(0);
    await end("first", new Error("no network"));
    expect(begun).toEqual(["first", "second"]);
  });

  it("drops writes if too many are waiting, including those waiting for their key", async () => {
    const { clock, begun, add, end } = start({ writers: 1, maxWaiting: 2 });
    expect(["a", "b", "c"].map((name) => add(name, "series"))).toEqual([true, true, true]);
    expect(add("d")).toBe(false);
    await clock.advance(0);
    await end("a");
    expect(add("d")).toBe(true);
    for (const name of ["b", "d", "c"]) await end(name);
    await end("d");
    expect(begun.toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("tries pending writes once more when it is stopped, and begins none after its timeout", async () => {
    const { clock, queue, begun, add, end } = start({ writers: 1 });
    for (const name of ["a", "b", "c"]) add(name, "series");
    await clock.advance(0);
    const stopped = queue.stop(1_000);
    expect(add("late")).toBe(false);
    await end("a");
    expect(begun).toEqual(["a", "b"]);
    await clock.advance(1_000);
    await stopped;
    await end("b");
    expect(begun).toEqual(["a", "b"]);
  });

  it("is not delayed by its timer once all is written", async () => {
    const { clock, queue, add, end } = start();
    add("a");
    await clock.advance(0);
    const stopped = queue.stop(1_000);
    await end("a");
    await stopped;
    expect(clock.waiting).toBe(0);
  });
});
