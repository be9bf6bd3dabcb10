import { untilAborted } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { Controller, type ControllerOptions, funcSource } from "@kubewright/controller";
import type { LeaderElectionRecord, ResourceLock } from "@kubewright/leader-election";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { describe, expect, it } from "vitest";
import { noServer } from "./running-controller.ts";

function controllerOf(options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const started: string[] = [];
  const calls: string[] = [];
  const controller = new Controller({
    name: "warm",
    client: noServer(),
    enableWarmup: true,
    sources: [
      funcSource(({ queue }) => {
        started.push("source");
        queue.add("web/a");
      }),
    ],
    clock,
    ...options,
    reconcile: (request) => void calls.push(request),
  });
  return { clock, controller, started, calls, stop: new AbortController() };
}

/** Another process leads, and renews. */
const taken: Omit<ResourceLock, "identity"> = {
  description: "ns/lock",
  get: async (): Promise<LeaderElectionRecord> => ({
    holderIdentity: "other",
    leaseDurationSeconds: 15,
    acquireTimeMs: 0,
    renewTimeMs: 0,
    leaderTransitions: 0,
  }),
  create: () => Promise.reject(new Error("taken")),
  update: () => Promise.reject(new Error("taken")),
  record: () => {},
};

describe("warmup", () => {
  it("CT-050 starts the sources early, and fails with their errors", async () => {
    const { clock, controller, started, calls, stop } = controllerOf();
    const warmup = controller.warmup(stop.signal);
    await clock.advance(0);
    expect([started, controller.queueLength, calls]).toEqual([["source"], 1, []]);
    const running = controller.run(stop.signal);
    await clock.advance(0);
    expect([started, calls]).toEqual([["source"], ["web/a"]]);
    stop.abort();
    await Promise.all([warmup, running]);

    const error = new Error("no such kind");
    const failing = controllerOf({ sources: [funcSource(() => Promise.reject(error))] });
    await expect(failing.controller.warmup(failing.stop.signal)).rejects.toBe(error);
    const late = controllerOf({ sources: [{ description: "slow", run: (_context, signal) => untilAborted(signal) }] });
    const slow = late.controller.warmup(late.stop.signal).catch((thrown: unknown) => String(thrown));
    await late.clock.advance(120_000);
    expect(await slow).toContain("failed to wait for warm caches to sync slow");
  });

  it("CT-051 does nothing if disabled; the start then starts the sources", async () => {
    const { clock, controller, started, stop } = controllerOf({ enableWarmup: false });
    await controller.warmup(stop.signal);
    expect(started).toEqual([]);
    const running = controller.run(stop.signal);
    await clock.advance(0);
    expect(started).toEqual(["source"]);
    stop.abort();
    await running;
  });

  it("CT-052 is warm before this process leads, and works only once it leads", async () => {
    const { clock, controller, started, calls, stop } = controllerOf();
    let isFree = false;
    const mine: { record?: LeaderElectionRecord } = {};
    const lock: ResourceLock = {
      ...taken,
      identity: "me",
      get: async (signal) => mine.record ?? { ...(await taken.get(signal)), ...(isFree ? { holderIdentity: "" } : {}) },
      update: async (record) => {
        mine.record = record;
      },
    };
    const manager = new Manager({
      connection: { server: "http://127.0.0.1:1" },
      metrics: { bindAddress: "0" },
      leaderElection: { id: "x", lock },
      logger: silentLogger,
      clock,
    });
    manager.add(controller);
    const running = manager.run(stop.signal);
    await clock.advance(10_000);
    expect([started, calls]).toEqual([["source"], []]);
    isFree = true;
    await clock.advance(60_000);
    expect([started, calls]).toEqual([["source"], ["web/a"]]);
    stop.abort();
    await running;
  });

  it("CT-053 ends without an error if it is cancelled while a source starts", async () => {
    const slow = { description: "slow", run: (_context: unknown, signal: AbortSignal) => untilAborted(signal) };
    const { clock, controller, stop } = controllerOf({ sources: [slow] });
    const warmup = controller.warmup(stop.signal);
    await clock.advance(1_000);
    stop.abort();
    await expect(warmup).resolves.toBeUndefined();
    expect(clock.waiting).toBe(0);
  });
});
