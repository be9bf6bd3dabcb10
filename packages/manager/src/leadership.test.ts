import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writer } from "@kubewright/client";
import { untilAborted } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { isNotLeadingError, type LeaderElectionRecord, type ResourceLock } from "@kubewright/leader-election";
import { describe, expect, it } from "vitest";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type { Runnable } from "./runnable.ts";
import { MemoryLock } from "./testing/memory-lock.ts";
import { startManager as start } from "./testing/start-manager.ts";

const Pod = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;

const held: LeaderElectionRecord = {
  holderIdentity: "other",
  leaseDurationSeconds: 15,
  acquireTimeMs: 0,
  renewTimeMs: 0,
  leaderTransitions: 0,
};

/** A clock that can advance without the event loop. */
class StallingClock extends FakeClock {
  #stalledMs = 0;

  stall(ms: number): void {
    this.#stalledMs += ms;
  }
  override now(): number {
    return super.now() + this.#stalledMs;
  }
  override monotonic(): number {
    return super.monotonic() + this.#stalledMs;
  }
}

describe("Manager with leader election", () => {
  const election = (lock: ResourceLock): ManagerOptions => ({ leaderElection: { id: "x", lock } });

  it("needs a namespace outside of a cluster, once it runs", async () => {
    const connection = { server: "http://127.0.0.1:1" };
    const manager = new Manager({ connection, leaderElection: { id: "x" }, metrics: { bindAddress: "0" } });
    await expect(manager.run(new AbortController().signal)).rejects.toThrow("specify leaderElection.namespace");
  });

  it("notifies warmups, like all runnables, that it begins to stop", async () => {
    const events: string[] = [];
    const records =
      (what: string) =>
      async (_signal: AbortSignal, stopping?: AbortSignal): Promise<void> => {
        if (stopping) await untilAborted(stopping);
        events.push(`${what} ${stopping?.aborted}`);
      };
    const { clock, stop, run } = start({}, { run: records("run"), warmup: records("warmup") });
    await clock.advance(0);
    expect(events).toEqual([]);
    stop.abort();
    await run;
    expect(events.toSorted()).toEqual(["run true", "warmup true"]);
  });

  it("runs the leader's work in one of two processes only, but warmups and others in both", async () => {
    const store = {};
    const log: string[] = [];
    const work = (name: string): Runnable[] => [
      {
        run: (signal) => {
          log.push(`${name} leads`);
          return untilAborted(signal);
        },
        warmup: async () => void log.push(`${name} warm`),
      },
      { group: "others", run: async () => void log.push(`${name} other`) },
    ];
    const a = start(election(new MemoryLock(store, "a")), ...work("a"));
    await a.clock.advance(0);
    const b = start(election(new MemoryLock(store, "b")), ...work("b"));
    await b.clock.advance(0);
    expect(log).toEqual(["a other", "a warm", "a leads", "b other", "b warm"]);
    for (const { stop, run } of [a, b]) {
      stop.abort();
      await run;
    }
  });

  it("keeps leadership until all work has ended, then releases it if configured", async () => {
    const store: { record?: LeaderElectionRecord } = {};
    const gate = Promise.withResolvers<void>();
    const lock = new MemoryLock(store, "a");
    const { clock, stop, run } = start(
      { leaderElection: { id: "x", lock, releaseOnCancel: true } },
      { run: () => gate.promise },
    );
    await clock.advance(0);
    stop.abort();
    await clock.advance(5_000);
    expect(store.record?.holderIdentity).toBe("a");
    gate.resolve();
    await run;
    expect(store.record?.holderIdentity).toBe("");
  });

  it("keeps the lease until it expires if the leader's work does not end in time", async () => {
    const store: { record?: LeaderElectionRecord } = {};
    const lock = new MemoryLock(store, "a");
    for (const gracefulShutdownTimeoutMs of [1_000, 0]) {
      const { clock, stop, run, outcome } = start(
        { leaderElection: { id: "x", lock, releaseOnCancel: true }, gracefulShutdownTimeoutMs },
        { run: () => new Promise(() => {}) },
      );
      await clock.advance(0);
      stop.abort();
      await clock.advance(1_000);
      await run;
      expect(store.record?.holderIdentity).toBe("a");
      expect(isNotLeadingError(outcome())).toBe(false);
    }
  });

  it("aborts the leader's work synchronously when leadership is lost, and ends with that error", async () => {
    const lock = new MemoryLock({}, "a");
    let signal: AbortSignal | undefined;
    let wasAborted: boolean | undefined;
    lock.onRecord = (text) => {
      if (text === "stopped leading") queueMicrotask(() => (wasAborted = signal?.aborted));
    };
    const { clock, run, outcome } = start(election(lock), {
      run: (its) => {
        signal = its;
        return new Promise(() => {});
      },
    });
    await clock.advance(0);
    lock.broken = true;
    await clock.advance(20_000);
    await run;
    expect(wasAborted).toBe(true);
    const error = outcome() as Error;
    expect(isNotLeadingError(error)).toBe(true);
    expect(error.message).toContain("leader election lost: ");
    expect([signal?.reason, isNotLeadingError(error.cause)]).toEqual([error, true]);
  });

  it("aborts the leader's work when leadership is lost while everything else is being stopped", async () => {
    const lock = new MemoryLock({}, "a");
    const gate = Promise.withResolvers<void>();
    let isWorking = false;
    const { clock, stop, run, outcome } = start(
      { ...election(lock), gracefulShutdownTimeoutMs: Number.POSITIVE_INFINITY },
      { group: "others", run: () => gate.promise },
      {
        run: async (signal) => {
          isWorking = true;
          await untilAborted(signal);
          isWorking = false;
        },
      },
    );
    await clock.advance(0);
    stop.abort();
    await clock.advance(4_000);
    expect(isWorking).toBe(true);
    lock.broken = true;
    await clock.advance(20_000);
    expect([isWorking, outcome()]).toEqual([false, "running"]);
    gate.resolve();
    await run;
    expect(isNotLeadingError(outcome())).toBe(true);
  });

  it("stops without an error when leadership is lost after the leader's work has ended", async () => {
    const lock = new MemoryLock({}, "a");
    const gate = Promise.withResolvers<void>();
    const { clock, stop, run, outcome } = start(
      { ...election(lock), gracefulShutdownTimeoutMs: Number.POSITIVE_INFINITY },
      { group: "caches", run: () => gate.promise },
      { run: untilAborted },
    );
    await clock.advance(0);
    stop.abort();
    lock.broken = true;
    await clock.advance(20_000);
    gate.resolve();
    await run;
    expect(outcome()).toBe("stopped");
  });

  it("starts no work of the leader once leadership is lost, even by the work started first", async () => {
    const lock = new MemoryLock({}, "a");
    const started: string[] = [];
    const clock = new StallingClock();
    const { run, manager } = start(
      { ...election(lock), clock },
      {
        run: async () => {
          started.push("first");
          clock.stall(3_600_000);
          await expect(manager.client.delete(Pod, "ns/a")).rejects.toThrow("not sent");
        },
      },
      { run: async () => void started.push("second") },
    );
    await clock.advance(0);
    await run;
    expect(started).toEqual(["first"]);
  });

  it("is not a candidate once it begins to stop", async () => {
    const store: { record?: LeaderElectionRecord } = {};
    const lock = new MemoryLock(store, "a");
    lock.broken = true;
    const gate = Promise.withResolvers<void>();
    const { clock, stop, run } = start(
      { ...election(lock), gracefulShutdownTimeoutMs: Number.POSITIVE_INFINITY },
      { group: "others", run: () => gate.promise },
    );
    await clock.advance(0);
    stop.abort();
    lock.broken = false;
    await clock.advance(60_000);
    gate.resolve();
    await run;
    expect(store.record).toBeUndefined();
  });

  it("starts no work of the leader if it is elected while stopping", async () => {
    const store: { record?: LeaderElectionRecord } = {};
    const lock = new MemoryLock(store, "b");
    const gate = Promise.withResolvers<void>();
    const started: string[] = [];
    const get = lock.get.bind(lock);
    const answer = Promise.withResolvers<void>();
    lock.get = async () => {
      await answer.promise;
      return get();
    };
    const { clock, stop, run, outcome } = start(
      { ...election(lock), gracefulShutdownTimeoutMs: Number.POSITIVE_INFINITY },
      { group: "others", run: () => gate.promise },
      { run: async () => void started.push("work") },
    );
    await clock.advance(0);
    stop.abort();
    answer.resolve();
    await clock.advance(60_000);
    gate.resolve();
    await run;
    expect([started, outcome()]).toEqual([[], "stopped"]);
  });

  it("ends at once when leadership is lost, and its leader's client writes no more", async () => {
    const lock = new MemoryLock({}, "a");
    const { clock, run, outcome, manager } = start(election(lock), { run: () => new Promise(() => {}) });
    await clock.advance(0);
    lock.broken = true;
    await clock.advance(20_000);
    await run;
    expect(String(outcome())).toContain("leader election lost");
    for (const client of [
      manager.client,
      manager.apiReader,
      manager.cluster.client,
      manager.clientFor("leaderElection"),
    ])
      await expect(client.delete(Pod, "ns/a")).rejects.toThrow(/delete Pod ns\/a: not sent: .*lead/);
  });

  it("ends at once when leadership is lost, although the API server does not answer", async () => {
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const lock = new MemoryLock({}, "a");
    const { clock, run, outcome, manager } = start({
      ...election(lock),
      connection: { server: `http://127.0.0.1:${port}` },
    });
    let isLost = false;
    lock.onRecord = (text) => {
      isLost = text === "stopped leading";
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "ns" } };
      manager.recorderFor("x").event(pod, { reason: "Election", action: "Lead", note: text });
    };
    await clock.advance(0);
    lock.broken = true;
    while (!isLost) await clock.advance(500);
    await run; // without advancing the clock
    expect(isNotLeadingError(outcome())).toBe(true);
    server.closeAllConnections();
    server.close();
  });

  it("allows unfenced writes of every replica, and other writes only of the leader", async () => {
    const store = {};
    const leader = start(election(new MemoryLock(store, "a")));
    await leader.clock.advance(0);
    const other = start(election(new MemoryLock(store, "b")));
    await other.clock.advance(0);
    const { manager } = other;
    const written = (client: Pick<Writer, "delete">) =>
      client.delete(Pod, "ns/a").catch((error: unknown) => (isNotLeadingError(error) ? "refused" : "sent"));
    const { unfenced } = manager;
    for (const client of [manager.client, manager.apiReader, manager.clientFor("leaderElection")])
      expect(await written(client)).toBe("refused");
    for (const client of [unfenced.client, unfenced.apiReader, manager.clientFor("others")])
      expect(await written(client)).toBe("sent");
    for (const client of [leader.manager.client, leader.manager.apiReader]) expect(await written(client)).toBe("sent");
    for (const { stop, run } of [leader, other]) {
      stop.abort();
      await run;
    }
  });

  it("writes events from every replica", async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const store = { record: held };
    const { clock, manager, stop, run } = start({
      ...election(new MemoryLock(store, "a")),
      connection: { server: url },
    });
    await clock.advance(0);
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "ns" } };
    manager.recorderFor("x").event(pod, { reason: "Waiting", action: "Wait", note: "waits to lead" });
    await expect.poll(() => paths.some((path) => path?.startsWith("/apis/events.k8s.io/v1/namespaces/ns/"))).toBe(true);
    stop.abort();
    await run;
    server.close();
  });

  it("checks nothing without leader election", () => {
    const { manager, stop } = start();
    stop.abort();
    expect(manager.client).toBe(manager.unfenced.client);
    expect(manager.apiReader).toBe(manager.unfenced.apiReader);
    expect(manager.fence).toBeUndefined();
  });
});
