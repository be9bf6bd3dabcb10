import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger, silentLogger } from "@kubewright/log";
import { OpenWrtError, OpenWrtNetworkError } from "@kubewright/openwrt";
import { expect, it } from "vitest";
import { cnfRoute } from "../../kinds/cnf-route.ts";
import { firewallRule } from "../../kinds/firewall-rules.ts";
import { firewallZone } from "../../kinds/firewall-zone.ts";
import { sdewanApplication } from "../../kinds/sdewan-application.ts";
import { FakeCluster } from "../../testing/fake-cluster.ts";
import { FakeCnf } from "../../testing/fake-cnf.ts";
import { putCnf } from "../../testing/fixtures.ts";
import { startPool } from "../../testing/pool.ts";
import { Patrol } from "./patrol.ts";
import { SessionPool } from "./session-pool.ts";

it("reconciles the resources whose objects a CNF lost, and ends sessions with deleted pods", async () => {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const clock = new FakeClock();
  const cnf = new FakeCnf();
  const pool = new SessionPool({
    reader: cluster.client,
    connect: () => cnf,
    endpoint: { scheme: "https" },
    session: { clock },
  });
  const pod = cluster.peek(Pod, "cnfs/edge7-0");
  if (!pod) throw new Error("no pod");
  const session = await pool.sessionOf(pod);
  const origin = { kind: "CNFRoute", key: "default/a" };
  const change = { origin, kind: cnfRoute, name: "a", desired: { name: "a" }, same: () => true, inForce: true };
  const submitted = session.submit(change);
  await clock.advance(100);
  await submitted;

  const called: unknown[] = [];
  const stop = new AbortController();
  const patrol = new Patrol({
    pool,
    reader: cluster.client,
    intervalMs: 30_000,
    trigger: (each) => called.push(each),
    clock,
    logger: silentLogger,
  });
  const running = patrol.run(stop.signal);
  await clock.advance(30_000);
  expect(called).toEqual([]);
  cnf.collections.clear();
  await clock.advance(30_000);
  expect(called).toEqual([origin]);
  cluster.remove(Pod, "cnfs/edge7-0");
  await clock.advance(30_000);
  expect(pool.sessions.size).toBe(0);
  stop.abort();
  await running;
});

it("does not let a slow CNF delay another one", async () => {
  const { cluster, clock, cnf, pool, submit } = startPool({ hostile: ["10.0.0.1"], good: ["10.0.0.2"] });
  const desired = { name: "a" };
  for (const purpose of ["hostile", "good"]) {
    const origin = { kind: "SdewanApplication", key: `default/${purpose}` };
    const done = submit(purpose, 0, {
      origin,
      kind: sdewanApplication,
      name: "a",
      desired,
      same: () => true,
      inForce: true,
    });
    await clock.advance(1_000);
    await done;
  }
  cnf("10.0.0.1").takesMs = 600_000;
  const called: unknown[] = [];
  const trigger = ({ key }: { readonly key: unknown }): void => void called.push(key);
  const parts = { pool, reader: cluster.client, intervalMs: 30_000, trigger, clock, logger: silentLogger };
  const stop = new AbortController();
  const running = new Patrol(parts).run(stop.signal);
  for (let round = 0; round < 3; round++) {
    cnf("10.0.0.2").collections.clear();
    await clock.advance(60_000);
    expect(called).toEqual(["default/good"]);
    cnf("10.0.0.2").collections.set("application/v1/applications", new Map([["a", desired]]));
    await clock.advance(60_000);
    called.length = 0;
  }
  expect(cnf("10.0.0.1").requests.filter((request) => request === "GET application/v1/applications")).toEqual([]);
  stop.abort();
  await clock.advance(600_000);
  await running;
});

it("notices what a slow CNF lost although a change that waits for it is retried every few seconds", async () => {
  const { cluster, clock, cnf, pool, submit } = startPool({ edge7: ["10.0.0.1"] });
  const change = (kind: typeof firewallRule | typeof firewallZone | typeof cnfRoute, name: string) => {
    const origin = { kind: kind.kind.kind, key: `default/${name}` } as const;
    return submit("edge7", 0, { origin, kind, name, desired: { name }, same: () => true, inForce: true });
  };
  const held = Promise.all([change(cnfRoute, "a"), change(firewallZone, "wan")]);
  await clock.advance(10_000);
  await held;
  const edge = cnf("10.0.0.1");
  edge.takesMs = 2_600;
  for (const objects of edge.collections.values()) objects.clear();
  edge.fail = (request) => (request.startsWith("POST") ? new OpenWrtError(428, "no zone wan") : undefined);
  const stop = new AbortController();
  const retried = (async () => {
    while (!stop.signal.aborted) {
      await change(firewallRule, "no-ping").catch(() => {});
      await clock.sleep(5_000, stop.signal);
    }
  })();
  const called: unknown[] = [];
  const trigger = ({ key }: { readonly key: unknown }): void => void called.push(key);
  const parts = { pool, reader: cluster.client, intervalMs: 30_000, trigger, clock, logger: silentLogger };
  const running = new Patrol(parts).run(stop.signal);
  await clock.advance(60_000);
  expect(called.toSorted()).toEqual(["default/a", "default/wan"]);
  stop.abort();
  await clock.advance(60_000);
  await Promise.all([running, retried, pool.close()]);
});

it("reports why a CNF does not list its objects, without secrets", async () => {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const clock = new FakeClock();
  const cnf = new FakeCnf();
  const endpoint = { scheme: "https" } as const;
  const pool = new SessionPool({ reader: cluster.client, connect: () => cnf, endpoint, session: { clock } });
  const pod = cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
  const session = await pool.sessionOf(pod);
  const origin = { kind: "CNFRoute", key: "default/a" };
  const change = { origin, kind: cnfRoute, name: "a", desired: { name: "a" }, same: () => true, inForce: true };
  const submitted = session.submit(change);
  await clock.advance(100);
  await submitted;
  cnf.fail = () => new OpenWrtError(500, "psk between-us");
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const parts = { pool, reader: cluster.client, intervalMs: 30_000, trigger: () => {}, clock, logger };
  await new Patrol({ ...parts, hideOf: async () => (text) => text.replace("between-us", "***") }).round();
  expect(lines.join("")).toContain("Error Message: psk ***");
  await new Patrol(parts).round();
  await new Patrol({ ...parts, hideOf: () => Promise.reject(new Error("not known")) }).round();
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toContain("between-us");
  await pool.close();
});

it("reconciles the resources of a CNF once after two failed checks, one after another", async () => {
  const { cluster, clock, cnf, pool, submit } = startPool({
    dead: ["10.0.0.1"],
    locked: ["10.0.0.2"],
    odd: ["10.0.0.3"],
  });
  const held = ["dead", "locked", "odd"].flatMap((purpose) =>
    Array.from({ length: 40 }, (_, index) => {
      const name = `${purpose}${index}`;
      const origin = { kind: "CNFRoute", key: `default/${name}` };
      return submit(purpose, 0, { origin, kind: cnfRoute, name, desired: { name }, same: () => true, inForce: true });
    }),
  );
  await clock.advance(1_000);
  await Promise.all(held);
  const called: string[] = [];
  const trigger = ({ key }: { readonly key: unknown }): void => void called.push(String(key));
  const parts = { pool, reader: cluster.client, intervalMs: 30_000, trigger, clock, logger: silentLogger };
  const stop = new AbortController();
  const running = new Patrol(parts).run(stop.signal);
  const fail = (isFailing: boolean): void => {
    cnf("10.0.0.1").fail = () => (isFailing ? new OpenWrtNetworkError("GET", "connection refused") : undefined);
    cnf("10.0.0.2").fail = () => (isFailing ? new OpenWrtError(403, "no") : undefined);
    cnf("10.0.0.3").fail = () => (isFailing ? new OpenWrtError(500, "no") : undefined);
  };
  fail(true);
  await clock.advance(59_999);
  expect(called).toEqual([]);
  await clock.advance(1_001);
  expect(called).toHaveLength(20);
  expect(called.filter((key) => key.startsWith("default/dead"))).toHaveLength(10);
  await clock.advance(120_000);
  expect(new Set(called).size).toBe(80);
  expect(called).toHaveLength(80);
  expect(called.filter((key) => key.startsWith("default/odd"))).toEqual([]);

  called.length = 0;
  fail(false);
  await clock.advance(30_000);
  fail(true);
  await clock.advance(30_000);
  fail(false);
  await clock.advance(30_000);
  fail(true);
  await clock.advance(30_000);
  expect(called).toEqual([]);
  await clock.advance(30_000);
  expect(called).toHaveLength(20);
  stop.abort();
  await clock.advance(60_000);
  await running;
  expect(called).toHaveLength(20);
  await pool.close();
});

it("looks for objects of others between the operator's own, and for moved objects", async () => {
  const { cluster, clock, cnf, pool, submit } = startPool({ edge7: ["10.0.0.1"] });
  const objects = ["a", "b"].map((name, order) => ({
    origin: { kind: "FirewallRule", key: `default/${name}` } as const,
    kind: firewallRule,
    name,
    desired: { name },
    same: () => true,
    inForce: true,
    order: { order, created: undefined, name },
  }));
  const done = Promise.all(objects.map((change) => submit("edge7", 0, change)));
  await clock.advance(2_000);
  await done;
  const called: unknown[] = [];
  const seen: unknown[] = [];
  const patrol = new Patrol({
    pool,
    reader: cluster.client,
    intervalMs: 30_000,
    trigger: ({ key }) => called.push(key),
    onOthers: async (pod, names) => void seen.push([pod.metadata.name, ...names]),
    clock,
    logger: silentLogger,
  });
  const round = async (...names: readonly string[]): Promise<void> => {
    cnf("10.0.0.1").collections.set(firewallRule.path, new Map(names.map((name) => [name, { name }])));
    const checked = patrol.round();
    await clock.advance(100);
    await checked;
  };
  await round("x", "a", "y", "b", "z");
  expect([called, seen.splice(0)]).toEqual([[], [["edge7-0", [firewallRule.path, ["y"]]]]]);
  await round("b", "a");
  expect([called.length, seen]).toEqual([1, [["edge7-0", [firewallRule.path, []]]]]);
});
