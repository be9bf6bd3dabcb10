import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "@kubewright/clock";
import { createLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { Manager } from "./manager.ts";
import type { GroupName, Runnable } from "./runnable.ts";
import { startManager as start } from "./testing/start-manager.ts";

describe("Manager", () => {
  it("starts groups in order and stops them in order", async () => {
    const log: string[] = [];
    const member = (group: GroupName): Runnable => ({
      group,
      run: async (signal) => {
        log.push(`+${group}`);
        await untilAborted(signal);
        log.push(`-${group}`);
      },
    });
    const groups: GroupName[] = ["leaderElection", "others", "caches", "webhooks", "http"];
    const { clock, stop, run, outcome, manager } = start({}, ...groups.map(member));
    await clock.advance(0);
    expect(log).toEqual(["+http", "+webhooks", "+caches", "+others", "+leaderElection"]);
    await manager.elected;
    log.length = 0;
    stop.abort();
    await run;
    expect(log).toEqual(["-others", "-leaderElection", "-caches", "-webhooks", "-http"]);
    expect(outcome()).toBe("stopped");
  });

  it("handles thrown values that a program's logger cannot show", async () => {
    const lines: string[] = [];
    const fails = (): never => {
      throw new Error("the serializer threw");
    };
    const destination = { write: (line: string): void => void lines.push(line) };
    const logger = createLogger({ destination }).child({}, { serializers: { err: fails } });
    const frozen = Object.freeze(new Error("frozen"));
    const late: Runnable = {
      name: "late",
      run: async (signal) => {
        await untilAborted(signal);
        throw frozen;
      },
    };
    const { clock, stop, run, outcome, manager } = start({ logger }, late);
    await clock.advance(0);
    manager.logger.child({ err: frozen }).error({ err: frozen }, "shown");
    stop.abort();
    await run;
    expect(outcome()).toBe("stopped");
    const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
    expect(errors).toMatchObject([
      { err: { message: "frozen" }, msg: "shown" },
      { err: { message: "frozen" }, msg: "error received after stop sequence was engaged" },
    ]);
  });

  it.each<[string, (signal: AbortSignal, asked: AbortSignal) => Promise<unknown>]>([
    ["a timer that heeds the signal", (signal) => sleep(3_600_000, undefined, { signal })],
    ["a timer that heeds the signal of run", (_signal, asked) => sleep(3_600_000, undefined, { signal: asked })],
    ["the signal's reason", (signal) => untilAborted(signal).then(() => signal.throwIfAborted())],
    ["the reason of run's signal", (_signal, asked) => untilAborted(asked).then(() => asked.throwIfAborted())],
    [
      "an error that the abort caused",
      (signal) => untilAborted(signal).then(() => Promise.reject(new Error("reading", { cause: signal.reason }))),
    ],
  ])("stops without an error, also in the log, when a runnable rejects with %s", async (_what, rejecting) => {
    for (const group of ["others", "leaderElection", "caches"] as const)
      for (const reason of [undefined, new Error("enough")]) {
        const lines: string[] = [];
        const logger = createLogger({ destination: { write: (line: string): void => void lines.push(line) } });
        const { clock, stop, run, outcome, manager } = start({ logger });
        manager.add({ group, run: async (signal) => void (await rejecting(signal, stop.signal)) });
        await clock.advance(0);
        stop.abort(reason);
        await run;
        expect(outcome()).toBe("stopped");
        expect(lines.filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
      }
  });

  it("fails when a runnable rejects with an AbortError of its own", async () => {
    const { run, outcome } = start({}, { run: () => sleep(1_000, undefined, { signal: AbortSignal.abort() }) });
    await run;
    expect(outcome()).toMatchObject({ name: "AbortError" });
  });

  it("starts no later group before the caches are ready", async () => {
    const gate = Promise.withResolvers<void>();
    let isRunning = false;
    const { clock, stop, run } = start(
      {},
      { group: "caches", run: untilAborted, ready: () => gate.promise },
      {
        run: async () => {
          isRunning = true;
        },
      },
    );
    await clock.advance(1_000);
    expect(isRunning).toBe(false);
    gate.resolve();
    await clock.advance(0);
    expect(isRunning).toBe(true);
    stop.abort();
    await run;
  });

  it("starts runnables at once that are added while it runs", async () => {
    const { clock, stop, run, manager } = start();
    await clock.advance(0);
    let isRunning = false;
    manager.add({
      run: async () => {
        isRunning = true;
      },
    });
    expect(isRunning).toBe(true);
    stop.abort();
    await run;
    expect(() => manager.add({ run: untilAborted })).toThrow("stop procedure");
  });

  it("starts no runnable of any group once it stops", async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, stop, run, manager } = start({}, { group: "others", run: () => gate.promise });
    await clock.advance(0);
    await manager.elected;
    const started: string[] = [];
    const late = (group: GroupName): Runnable => ({ group, run: async () => void started.push(group) });
    stop.abort();
    expect(() => manager.add(late("leaderElection"))).toThrow("stop procedure");
    await clock.advance(10);
    for (const group of ["leaderElection", "caches", "http"] as const)
      expect(() => manager.add(late(group))).toThrow("stop procedure");
    gate.resolve();
    await run;
    expect(started).toEqual([]);
  });

  it("ends without an error when the signal aborted before the start", async () => {
    const manager = new Manager({ connection: { server: "http://127.0.0.1:1" }, metrics: { bindAddress: "0" } });
    await manager.run(AbortSignal.abort());
    await expect(manager.run(AbortSignal.abort())).rejects.toThrow("manager already started");
  });

  it("stops everything and fails with the runnable's error when a runnable fails", async () => {
    const error = new Error("broken");
    let hasEnded = false;
    const { run, outcome } = start(
      {},
      {
        run: async (signal) => {
          await untilAborted(signal);
          hasEnded = true;
        },
      },
      { run: () => Promise.reject(error) },
    );
    await run;
    expect(outcome()).toBe(error);
    expect(hasEnded).toBe(true);
  });

  it("abandons runnables that do not end in time, and reports them", async () => {
    const hang = () => new Promise<void>(() => {});
    class Patrol implements Runnable {
      readonly group = "others";
      run = hang;
    }
    const stuck: Runnable[] = [
      { group: "others", name: "site", run: hang },
      new Patrol(),
      { group: "others", run: hang },
      { name: "not reached", run: hang },
    ];
    const { clock, stop, run, outcome } = start({ gracefulShutdownTimeoutMs: 1_000 }, ...stuck);
    await clock.advance(0);
    stop.abort();
    await clock.advance(999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await run;
    const { message } = outcome() as Error;
    expect(message).toContain("failed waiting for all runnables to end within grace period of 1000 ms");
    expect(message).toMatch(/still running: site \(others\), Patrol \(others\), without a name \(others\)$/);
  });

  it("reports both the failure and the runnables that did not end in time", async () => {
    const broken = new Error("broken");
    const { clock, run, outcome } = start(
      { gracefulShutdownTimeoutMs: 1_000 },
      { name: "site", run: () => new Promise(() => {}) },
      { run: () => Promise.reject(broken) },
    );
    await clock.advance(1_000);
    await run;
    const { message, errors } = outcome() as AggregateError;
    expect(message).toMatch(/^broken; failed waiting .* within grace period of 1000 ms: .* site \(leaderElection\)$/);
    expect(errors[0]).toBe(broken);
  });

  it("waits thirty seconds by default", async () => {
    const { clock, stop, run, outcome } = start({}, { group: "others", run: () => new Promise(() => {}) });
    await clock.advance(0);
    stop.abort();
    await clock.advance(29_999);
    expect(outcome()).toBe("running");
    await clock.advance(1);
    await run;
    expect(String(outcome())).toContain("within grace period of 30000 ms");
  });

  it("does not wait with a grace period of 0, but aborts everything", async () => {
    const events: string[] = [];
    const hanging = (group: GroupName): Runnable => ({
      group,
      run: (signal) => {
        signal.addEventListener("abort", () => events.push(group));
        return new Promise(() => {});
      },
    });
    const groups: GroupName[] = ["leaderElection", "others", "webhooks", "http"];
    for (const gracefulShutdownTimeoutMs of [-1, Number.NaN])
      expect(() => start({ gracefulShutdownTimeoutMs })).toThrow(
        `gracefulShutdownTimeoutMs must not be negative, got ${gracefulShutdownTimeoutMs}; use Infinity to wait without limit`,
      );
    const { clock, stop, run, outcome, manager } = start({ gracefulShutdownTimeoutMs: 0 }, ...groups.map(hanging));
    await clock.advance(0);
    await manager.elected;
    stop.abort();
    await run;
    expect(outcome()).toBe("stopped");
    expect(events.toSorted()).toEqual(groups.toSorted());
  });

  it("refuses the same name twice", () => {
    const { manager, stop } = start();
    stop.abort();
    manager.claimName("site");
    expect(() => manager.claimName("site")).toThrow("controller with name site already exists");
  });
});

describe("Manager's servers", () => {
  it("serve metrics and named checks while it runs", async () => {
    const { clock, stop, run, manager } = start({
      metrics: { bindAddress: "127.0.0.1:0" },
      health: { bindAddress: "127.0.0.1:0" },
    });
    manager.controllerMetrics("site").reconciles.success.inc();
    manager.queueMetrics("site").depth.inc(0);
    let isReady = false;
    manager.addReadyCheck("sync", () => {
      if (!isReady) throw new Error("not yet");
    });
    await clock.advance(0);
    await manager.elected;
    const metrics = await (await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`)).text();
    expect(metrics).toContain('controller_runtime_reconcile_total{controller="site",result="success"} 1');
    expect(metrics).toContain('controller_runtime_reconcile_total{controller="site",result="error"} 0');
    expect(metrics).toContain('workqueue_depth{name="site",controller="site",priority="0"} 1');
    expect((await fetch(`http://127.0.0.1:${manager.metricsPort}/other`)).status).toBe(404);
    const ready = async () => (await fetch(`http://127.0.0.1:${manager.healthPort}/readyz/sync`)).status;
    expect(await ready()).toBe(500);
    isReady = true;
    expect(await ready()).toBe(200);
    expect((await fetch(`http://127.0.0.1:${manager.healthPort}/healthz`)).status).toBe(200);
    stop.abort();
    await run;
    await expect(fetch(`http://127.0.0.1:${manager.healthPort}/healthz`)).rejects.toThrow();
  });
});

it("reports the state of its runnables, and details of a single one", async () => {
  const asked: unknown[] = [];
  const inspect = (detail?: object) => ({ asked: asked.push(detail) });
  const { manager, stop, run } = start(
    {},
    { name: "a", run: untilAborted, inspect },
    { name: "b", run: untilAborted, inspect },
  );
  expect(manager.inspect()).toMatchObject([
    { name: "cache", group: "caches", state: { kinds: [] } },
    { name: "a", group: "leaderElection", state: { asked: 1 } },
    { name: "b", state: { asked: 2 } },
  ]);
  expect(manager.inspect({ name: "b", limit: 3 })).toEqual([
    { name: "b", group: "leaderElection", state: { asked: 3 } },
  ]);
  expect(asked).toEqual([undefined, undefined, { name: "b", limit: 3 }]);
  expect(manager.leadership).toEqual({ isElected: false, leads: true, leader: "" });
  stop.abort();
  await run;
});

it("passes actions on keys to the runnable of the given name", async () => {
  const done: unknown[] = [];
  const control = (...action: readonly unknown[]) => done.push(action) > 0 && action[1] !== "ns/none";
  const { manager, stop, run } = start({}, { name: "a", run: untilAborted, control }, { name: "b", run: untilAborted });
  expect(manager.control("a", "pause", "ns/x", "ann")).toBe(true);
  expect(manager.control("a", "resume", "ns/none", "ann")).toBe(false);
  expect(manager.control("b", "pause", "ns/x", "ann")).toBe(false);
  expect(done).toEqual([
    ["pause", "ns/x", "ann"],
    ["resume", "ns/none", "ann"],
  ]);
  stop.abort();
  await run;
});
