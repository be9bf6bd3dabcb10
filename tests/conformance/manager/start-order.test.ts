import { InformerCache } from "@kubewright/cache";
import { FakeListWatchClient } from "@kubewright/cache/testing";
import { untilAborted } from "@kubewright/clock";
import { Cluster, type GroupName, Manager, type Runnable } from "@kubewright/manager";
import { describe, expect, it } from "vitest";
import { Pod, pod } from "../controller/cached-pods.ts";
import { alone, memoryLock, runningManager } from "./running-manager.ts";

/** Returns a runnable that records its start. */
const noting = (log: string[], name: string, more: Partial<Runnable> = {}): Runnable => ({
  name,
  run: (signal) => {
    log.push(name);
    return untilAborted(signal);
  },
  ...more,
});

describe("start order", () => {
  it("MG-008 starts nothing else before the cache has synced", async () => {
    const server = new FakeListWatchClient();
    const gate = Promise.withResolvers<void>();
    const slow: Pick<FakeListWatchClient, "list" | "watchRaw"> = {
      list: async (...args) => {
        await gate.promise;
        return server.list(...args);
      },
      watchRaw: async function* (...args) {
        await gate.promise;
        yield* server.watchRaw(...args);
      },
    };
    const cache = new InformerCache({ client: slow });
    cache.getInformer(Pod);
    const log: string[] = [];
    const { clock, end } = runningManager({ cache }, noting(log, "other", { group: "others" }), noting(log, "leader"));
    await clock.advance(0);
    expect(log).toEqual([]);
    gate.resolve();
    while (log.length < 2) await clock.advance(0);
    expect(log).toEqual(["other", "leader"]);
    await end();
  });

  it("MG-009 starts additional clusters before anything else, and waits until they have synced", async () => {
    const gate = Promise.withResolvers<void>();
    const cluster = new Cluster({ ...alone });
    const log: string[] = [];
    const ready = cluster.ready.bind(cluster);
    cluster.ready = async (signal) => {
      await gate.promise;
      await ready(signal);
      log.push("cluster");
    };
    const { clock, end } = runningManager({}, noting(log, "leader"), cluster);
    await clock.advance(0);
    expect(log).toEqual([]);
    gate.resolve();
    await clock.advance(0);
    expect(log).toEqual(["cluster", "leader"]);
    await end();
  });

  it("MG-010 starts group after group, warmups before the election, the leader's work after it", async () => {
    const log: string[] = [];
    const groups: GroupName[] = ["leaderElection", "others", "caches", "webhooks", "http"];
    const members = groups.map((group) =>
      noting(log, group, { group, ready: async () => void log.push(`${group} ready`) }),
    );
    const warm = noting(log, "warm", { warmup: async () => void log.push("warmup") });
    const lock = memoryLock("me");
    const create = lock.create.bind(lock);
    const watched = {
      ...lock,
      create: (...args: Parameters<typeof create>) => create(...args).then(() => void log.push("elected")),
    };
    const { clock, end, manager } = runningManager({ leaderElection: { id: "x", lock: watched } }, ...members, warm);
    await clock.advance(0);
    await manager.elected;
    const order = ["http", "webhooks", "caches", "others"].flatMap((group) => [group, `${group} ready`]);
    expect(log.slice(0, 10)).toEqual([...order, "warmup", "elected"]);
    expect(log.slice(10).toSorted()).toEqual(["leaderElection", "leaderElection ready", "warm"]);
    await end();
  });

  it("MG-012 starts all runnables, and counts as elected without an election", async () => {
    const log: string[] = [];
    const { clock, end, manager } = runningManager(
      {},
      noting(log, "a"),
      noting(log, "b"),
      noting(log, "c", { group: "others" }),
    );
    await manager.elected;
    await clock.advance(0);
    expect(log.toSorted()).toEqual(["a", "b", "c"]);
    await end();
  });

  it("MG-013 starts runnables at once that are added while it runs", async () => {
    const log: string[] = [];
    const { clock, end, manager } = runningManager();
    await clock.advance(0);
    manager.add(noting(log, "late"));
    expect(log).toEqual(["late"]);
    await end();
  });

  it("MG-014 starts and syncs a cluster that is added while it runs", async () => {
    const server = new FakeListWatchClient();
    server.source(Pod).add(pod("a"));
    const cluster = new Cluster({ ...alone, cache: new InformerCache({ client: server }) });
    const { clock, end, manager } = runningManager();
    await clock.advance(0);
    manager.add(cluster);
    expect((await cluster.client.list(Pod)).map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(await cluster.cache.waitForSync()).toBe(true);
    await end();
  });

  it("MG-015 starts once", async () => {
    const { end, manager } = runningManager();
    await expect(manager.run(new AbortController().signal)).rejects.toThrow("manager already started");
    await end();
    await expect(manager.run(new AbortController().signal)).rejects.toThrow("manager already started");
  });

  it("MG-016 ends with the error of a cache that cannot start", async () => {
    const error = new Error("cannot start the cache");
    const cache = new InformerCache({ client: new FakeListWatchClient() });
    cache.run = () => Promise.reject(error);
    const log: string[] = [];
    const { ended, outcome } = runningManager({ cache }, noting(log, "leader"));
    await ended;
    expect([outcome(), log]).toEqual([error, []]);
  });

  it("MG-023 warms up while another process leads", async () => {
    const store = {};
    const first = runningManager({ leaderElection: { id: "x", lock: memoryLock("first", store) } });
    await first.clock.advance(0);
    await first.manager.elected;
    const log: string[] = [];
    const runnable = noting(log, "leads", { warmup: async () => void log.push("warm") });
    const second = runningManager({ leaderElection: { id: "x", lock: memoryLock("second", store) } }, runnable);
    await second.clock.advance(10_000);
    expect(log).toEqual(["warm"]);
    await second.end();
    await first.end();
  });
});

describe("stop before the start", () => {
  it("MG-024 ends without an error when its signal aborts, even before it starts", async () => {
    const { clock, end, outcome } = runningManager();
    await clock.advance(0);
    await end();
    expect(outcome()).toBe("stopped");
    await expect(new Manager({ ...alone }).run(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
