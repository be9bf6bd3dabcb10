import { untilAborted } from "@kubewright/clock";
import type { GroupName, Runnable } from "@kubewright/manager";
import { describe, expect, it } from "vitest";
import { memoryLock, runningManager } from "./running-manager.ts";

describe("runnable groups", () => {
  it("MG-017 runs a runnable in the group that it names", async () => {
    const log: string[] = [];
    const gates = new Map<GroupName, () => void>();
    const member = (group: GroupName): Runnable => ({
      group,
      run: (signal) => {
        log.push(group);
        return untilAborted(signal);
      },
      ready: () => new Promise((resolve) => gates.set(group, resolve)),
    });
    const { clock, end } = runningManager({}, member("caches"), member("webhooks"), member("http"));
    for (const group of ["http", "webhooks", "caches"] as const) {
      await clock.advance(0);
      expect(log.at(-1)).toBe(group);
      gates.get(group)?.();
    }
    await clock.advance(0);
    expect(log).toEqual(["http", "webhooks", "caches"]);
    await end();
  });

  it("MG-018 runs a runnable without a group on the leader", async () => {
    const store = {};
    const first = runningManager({ leaderElection: { id: "x", lock: memoryLock("first", store) } });
    await first.clock.advance(0);
    const log: string[] = [];
    const silent: Runnable = { run: async () => void log.push("silent") };
    const other: Runnable = { group: "others", run: async () => void log.push("other") };
    const second = runningManager({ leaderElection: { id: "x", lock: memoryLock("second", store) } }, silent, other);
    await second.clock.advance(1_000);
    expect(log).toEqual(["other"]);
    await second.end();
    await first.end();
  });

  it("MG-019 ends with the error of a warmup", async () => {
    const error = new Error("cold");
    const { ended, outcome } = runningManager({}, { run: untilAborted, warmup: () => Promise.reject(error) });
    await ended;
    expect(outcome()).toBe(error);
  });

  it("MG-020 accepts runnables before, during and after the start", async () => {
    const started = new Set<string>();
    const counted = (name: string): Runnable => ({
      run: (signal) => {
        started.add(name);
        return untilAborted(signal);
      },
    });
    const early = Array.from({ length: 20 }, (_, index) => counted(`early ${index}`));
    const { clock, manager, end } = runningManager({}, ...early);
    for (let index = 0; index < 20; index++) {
      manager.add(counted(`meanwhile ${index}`));
      if (index % 5 === 0) await Promise.resolve();
    }
    await clock.advance(0);
    for (let index = 0; index < 20; index++) manager.add(counted(`late ${index}`));
    await clock.advance(0);
    expect(started.size).toBe(60);
    await end();
  });

  it("MG-021 waits for all of ten when it stops, and accepts none afterwards", async () => {
    let hasEnded = 0;
    const slow: Runnable[] = Array.from({ length: 10 }, (_, index) => ({
      run: async (signal) => {
        await untilAborted(signal);
        await clock.sleep(100 * index);
        hasEnded++;
      },
    }));
    const { clock, manager, stop, ended } = runningManager({}, ...slow);
    await clock.advance(0);
    stop.abort();
    await clock.advance(899);
    expect(hasEnded).toBe(9);
    await clock.advance(1);
    await ended;
    expect(hasEnded).toBe(10);
    expect(() => manager.add({ run: untilAborted })).toThrow(
      "can't accept new runnable as stop procedure is already engaged",
    );
  });

  it("MG-022 continues when all runnables of a group are ready, which are asked concurrently", async () => {
    let isNext = false;
    const slow: Runnable[] = [100, 300, 200].map((ms) => ({
      group: "others",
      run: untilAborted,
      ready: () => clock.sleep(ms),
    }));
    const next: Runnable = {
      run: async () => {
        isNext = true;
      },
    };
    const { clock, end } = runningManager({}, ...slow, next);
    await clock.advance(299);
    expect(isNext).toBe(false);
    await clock.advance(1);
    expect(isNext).toBe(true);
    await end();
  });
});
