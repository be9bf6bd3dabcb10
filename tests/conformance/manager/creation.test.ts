import { InformerCache } from "@kubewright/cache";
import { FakeListWatchClient } from "@kubewright/cache/testing";
import { Client, Connection, isKubeConfigError, withReader } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { Cluster, Manager, type ManagerOptions } from "@kubewright/manager";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Pod, pod } from "../controller/cached-pods.ts";
import { alone, memoryLock, runningManager } from "./running-manager.ts";

afterEach(() => void vi.unstubAllEnvs());

const broken = (what: string) => (): never => {
  throw new Error(`expected: ${what}`);
};

describe("creation", () => {
  it("looks for a connection like kubectl when it runs, and names the invalid source", async () => {
    vi.stubEnv("KUBECONFIG", "/nowhere/kubeconfig");
    vi.stubEnv("KUBERNETES_SERVICE_HOST", "");
    const manager = new Manager({ metrics: { bindAddress: "0" } });
    manager.cache.getInformer(Pod);
    const thrown: unknown = await manager.run(AbortSignal.timeout(5_000)).catch((error: unknown) => error);
    expect(isKubeConfigError(thrown)).toBe(true);
    expect(String(thrown)).toContain("/nowhere/kubeconfig");
  });

  it("MG-002 fails with the error of any part that cannot be created", () => {
    const made = (options: ManagerOptions) => () => new Manager({ ...alone, ...options });
    expect(made({ newClient: broken("client") })).toThrow("expected: client");
    expect(made({ newCache: broken("cache") })).toThrow("expected: cache");
    expect(made({ connection: { server: "nowhere" } })).toThrow("is not a valid API server address");
    expect(made({ leaderElection: { id: "" } })).toThrow("leaderElection.id must be configured");
    expect(() => new Cluster({ ...alone, newClient: broken("client") })).toThrow("expected: client");
  });

  it("MG-003 uses the result of a client constructor", () => {
    const client = withReader(
      new Client({ connection: { server: "http://127.0.0.1:1" } }),
      new InformerCache({ client: new FakeListWatchClient() }),
    );
    const asked: unknown[] = [];
    const manager = new Manager({
      ...alone,
      newClient: (live, cache) => {
        asked.push(live, cache);
        return client;
      },
    });
    expect(manager.client).toBe(client);
    expect(asked).toEqual([manager.apiReader, manager.cache]);
  });

  it("MG-004 does not change the given settings", async () => {
    const settings = Object.freeze({ server: "http://127.0.0.1:1", headers: Object.freeze({}), token: "secret" });
    const before = structuredClone(settings);
    const { end, clock } = runningManager({ connection: settings, cacheOptions: Object.freeze({}) });
    await clock.advance(0);
    await end();
    expect(settings).toEqual(before);
  });

  it("MG-005 has connection, clients, cache with its indexes, and recorders of both APIs", async () => {
    const server = new FakeListWatchClient();
    server.source(Pod).add(pod("a", { labels: { purpose: "shop" } }));
    const cache = new InformerCache({ client: server });
    const { manager, end, clock } = runningManager({ cache });
    await clock.advance(0);
    expect(manager.apiReader.connection).toBeInstanceOf(Connection);
    expect(manager.apiReader.connection.settings.server).toBe("http://127.0.0.1:1");
    expect([manager.cache, manager.mapper]).toEqual([cache, manager.apiReader.mapper]);
    manager.cache.indexField(Pod, "purpose", ({ metadata }) => [metadata.labels?.purpose ?? ""]);
    const found = await manager.client.list(Pod, { fields: { purpose: "shop" } });
    expect(found.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    await expect(manager.apiReader.list(Pod)).rejects.toThrow("127.0.0.1:1");
    for (const recorder of [manager.recorderFor("x"), manager.recorderFor("x", "v1")])
      expect(recorder.event).toBeTypeOf("function");
    await end();
  });

  it("MG-006 has the usual times and addresses", async () => {
    const stuck = runningManager({}, { run: () => new Promise(() => {}) });
    await stuck.clock.advance(0);
    stuck.stop.abort();
    await stuck.clock.advance(29_999);
    expect(stuck.outcome()).toBe("running");
    await stuck.clock.advance(1);
    await stuck.ended;
    expect(String(stuck.outcome())).toContain("grace period of 30000 ms");

    const store: Parameters<typeof memoryLock>[1] = {};
    const renewals: number[] = [];
    const lock = memoryLock("me", store);
    const leaderElection = {
      id: "x",
      lock: {
        ...lock,
        update: async (...args: Parameters<typeof lock.update>) => {
          renewals.push(leading.clock.monotonic());
          await lock.update(...args);
        },
      },
    };
    const leading = runningManager({ leaderElection });
    await leading.clock.advance(6_000);
    expect(store.record?.leaseDurationSeconds).toBe(15);
    expect(renewals).toEqual([2_000, 4_000, 6_000]);
    await leading.end();

    const served = runningManager({ health: { bindAddress: "127.0.0.1:0" }, metrics: {} });
    await Promise.race([served.manager.elected, served.ended]);
    const { metricsPort, healthPort } = served.manager;
    if (served.outcome() === "running") {
      expect(metricsPort).toBe(8080);
      for (const path of ["/healthz", "/readyz"])
        expect((await fetch(`http://127.0.0.1:${healthPort}${path}`)).status).toBe(200);
    } else expect(String(served.outcome())).toContain("failed to listen on :8080");
    await served.end();
    const off = runningManager({ metrics: { bindAddress: "0" } });
    await off.manager.elected;
    expect(off.manager.metricsPort).toBeUndefined();
    await off.end();
  });
});

describe("a cluster on its own", () => {
  it("MG-007 has client, cache and recorders, and ends with its signal", async () => {
    const server = new FakeListWatchClient();
    server.source(Pod).add(pod("a"));
    const clock = new FakeClock();
    const cluster = new Cluster({
      ...alone,
      clock,
      newCache: (options) => new InformerCache({ ...options, client: server }),
    });
    const stop = new AbortController();
    let hasEnded = false;
    const running = cluster.run(stop.signal).then(() => {
      hasEnded = true;
    });
    expect((await cluster.client.list(Pod)).map(({ metadata }) => metadata.name)).toEqual(["a"]);
    await expect(cluster.apiReader.get(Pod, "web/a")).rejects.toThrow("127.0.0.1:1");
    for (const api of ["v1", "events.k8s.io/v1"] as const)
      cluster.recorderFor("x", api).event(pod("a"), { reason: "Testing", note: "told" });
    await clock.advance(0);
    expect([hasEnded, clock.waiting > 0]).toEqual([false, true]);
    stop.abort();
    await clock.advance(60_000);
    await running;
    expect([hasEnded, server.source(Pod).openWatches, clock.waiting]).toEqual([true, 0, 0]);
    await expect(cluster.apiReader.get(Pod, "web/a")).rejects.toThrow("the connection is closed");
  });
});
