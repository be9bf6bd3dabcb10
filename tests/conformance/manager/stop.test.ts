import { untilAborted } from "@kubewright/clock";
import type { GroupName, Runnable } from "@kubewright/manager";
import { describe, expect, it } from "vitest";
import { memoryLock, runningManager } from "./running-manager.ts";

/** Returns a runnable that ends a while after it was stopped. */
const lingering = (sleep: (ms: number) => Promise<void>, ms: number, onEnd: () => void): Runnable => ({
  run: async (signal) => {
    await untilAborted(signal);
    await sleep(ms);
    onEnd();
  },
});

describe("stop and graceful shutdown", () => {
  it("MG-025 returns after all runnables have ended", async () => {
    const ends: string[] = [];
    const slow = lingering(
      (ms) => clock.sleep(ms),
      5_000,
      () => ends.push("runnable"),
    );
    const { clock, stop, ended } = runningManager({}, slow);
    void ended.then(() => ends.push("manager"));
    await clock.advance(0);
    stop.abort();
    await clock.advance(4_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    await ended;
    expect(ends).toEqual(["runnable", "manager"]);
  });

  it("MG-026 ends with the original error of a runnable", async () => {
    const error = new Error("expected");
    const { ended, outcome } = runningManager({}, { run: untilAborted }, { run: () => Promise.reject(error) });
    await ended;
    expect(outcome()).toBe(error);
  });

  it("MG-027 stops the others and waits for them when a runnable fails", async () => {
    let hasEnded = false;
    const error = new Error("expected");
    const slow = lingering(
      (ms) => clock.sleep(ms),
      1_000,
      () => {
        hasEnded = true;
      },
    );
    const { clock, ended, outcome } = runningManager({}, slow, { run: () => Promise.reject(error) });
    await clock.advance(999);
    expect([hasEnded, outcome()]).toEqual([false, "running"]);
    await clock.advance(1);
    await ended;
    expect([hasEnded, outcome()]).toEqual([true, error]);
  });

  it("MG-028 ends with only the deadline's error if nothing else failed", async () => {
    const stuck: Runnable = { run: () => new Promise(() => {}) };
    const { clock, stop, ended, outcome } = runningManager({ gracefulShutdownTimeoutMs: 1_000 }, stuck);
    await clock.advance(0);
    stop.abort();
    await clock.advance(1_000);
    await ended;
    expect(outcome()).toMatchObject({
      name: "Error",
      message: expect.stringContaining("grace period of 1000 ms: context deadline exceeded"),
      cause: expect.objectContaining({ name: "TimeoutError" }),
    });
  });

  it("MG-029 does not wait with a grace period of 0, which is not an error", async () => {
    let hasEnded = false;
    const slow = lingering(
      (ms) => clock.sleep(ms),
      1_000,
      () => {
        hasEnded = true;
      },
    );
    const { clock, stop, ended, outcome } = runningManager({ gracefulShutdownTimeoutMs: 0 }, slow);
    await clock.advance(0);
    stop.abort();
    await ended;
    expect([outcome(), hasEnded]).toEqual(["stopped", false]);
    await clock.advance(1_000);
    expect(hasEnded).toBe(true);
  });

  it("MG-030 waits without limit with a negative grace period", async () => {
    const slow = lingering(
      (ms) => clock.sleep(ms),
      3_600_000,
      () => {},
    );
    const { clock, stop, ended, outcome } = runningManager(
      { gracefulShutdownTimeoutMs: Number.POSITIVE_INFINITY },
      slow,
    );
    await clock.advance(0);
    stop.abort();
    await clock.advance(3_599_999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await ended;
    expect(outcome()).toBe("stopped");
  });

  it("MG-031 stops group after group, warmups at the same time, then the election, then the recorders", async () => {
    const log: string[] = [];
    const member = (group: GroupName): Runnable => ({
      group,
      run: async (signal) => {
        await untilAborted(signal);
        log.push(group);
      },
    });
    const groups: GroupName[] = ["http", "webhooks", "caches", "others", "leaderElection"];
    const warm: Runnable = {
      run: untilAborted,
      warmup: async (signal) => {
        await untilAborted(signal);
        log.push("warmup");
      },
    };
    const lock = memoryLock("me");
    const watched = {
      ...lock,
      update: async (...args: Parameters<typeof lock.update>) => {
        await lock.update(...args);
        if (args[0].holderIdentity === "") log.push("election");
      },
    };
    const leaderElection = { id: "x", lock: watched, releaseOnCancel: true };
    const { clock, end, manager } = runningManager({ leaderElection }, ...groups.map(member), warm);
    const close = manager.cluster.close.bind(manager.cluster);
    manager.cluster.close = async () => {
      log.push("recorders");
      await close();
    };
    await clock.advance(0);
    await manager.elected;
    await clock.advance(0);
    await end();
    expect(log.filter((name) => name !== "warmup")).toEqual([
      "others",
      "leaderElection",
      "caches",
      "webhooks",
      "http",
      "election",
      "recorders",
    ]);
    expect(log.indexOf("warmup")).toBeLessThan(log.indexOf("caches"));
  });
});
