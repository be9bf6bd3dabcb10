import { describe, expect, it } from "vitest";
import type { Runnable } from "./runnable.ts";
import { RunnableGroup } from "./runnable-group.ts";

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

describe("RunnableGroup", () => {
  it("starts runnables that were added before, and later ones at once", async () => {
    const started: string[] = [];
    const runnable = (name: string): Runnable => ({
      run: (signal) => {
        started.push(name);
        return untilAborted(signal);
      },
    });
    const group = new RunnableGroup(() => {});
    group.add(runnable("early"));
    expect(started).toEqual([]);
    await group.start();
    group.add(runnable("late"));
    expect(started).toEqual(["early", "late"]);
    await group.stop();
  });

  it("is started when all are ready, or have ended", async () => {
    const gate = Promise.withResolvers<void>();
    const group = new RunnableGroup(() => {});
    group.add({ run: untilAborted, ready: () => gate.promise });
    group.add({ run: async () => {}, ready: () => new Promise(() => {}) });
    let isStarted = false;
    const start = group.start().then(() => {
      isStarted = true;
    });
    await new Promise(setImmediate);
    expect(isStarted).toBe(false);
    gate.resolve();
    await start;
    await group.stop();
  });

  it("waits for all to end when it is stopped, and then accepts no more", async () => {
    const ended: number[] = [];
    const group = new RunnableGroup(() => {});
    for (let i = 0; i < 10; i++) {
      group.add({
        run: async (signal) => {
          await untilAborted(signal);
          await new Promise(setImmediate);
          ended.push(i);
        },
      });
    }
    await group.start();
    await group.stop();
    expect(ended).toHaveLength(10);
    expect(() => group.add({ run: untilAborted })).toThrow("stop procedure");
  });

  it("reports every failure, thrown at once or later", async () => {
    const errors: unknown[] = [];
    const group = new RunnableGroup((error) => errors.push(error));
    group.add({
      run: () => {
        throw new Error("at once");
      },
    });
    group.add({ run: () => Promise.reject(new Error("later")) });
    await group.start();
    await new Promise(setImmediate);
    expect(errors.map(String)).toEqual(["Error: at once", "Error: later"]);
    await group.stop();
  });

  it("starts no more runnables once one of them has aborted it", async () => {
    const started: string[] = [];
    const group = new RunnableGroup(() => {});
    group.add({
      run: async () => {
        started.push("first");
        group.abort();
      },
    });
    group.add({
      run: async () => {
        started.push("second");
      },
    });
    await group.start();
    expect(started).toEqual(["first"]);
  });

  it("knows how many have not ended", async () => {
    const gate = Promise.withResolvers<void>();
    const group = new RunnableGroup(() => {});
    group.add({ run: () => gate.promise });
    group.add({ run: untilAborted, name: "site" });
    expect(group.running).toBe(0);
    await group.start();
    expect([group.running, group.lateNames]).toEqual([2, []]);
    gate.resolve();
    await new Promise(setImmediate);
    expect(group.running).toBe(1);
    group.abort();
    expect(group.lateNames).toEqual(["site (leaderElection)"]);
    await group.stop();
    expect([group.running, group.lateNames]).toEqual([0, []]);
  });
});
