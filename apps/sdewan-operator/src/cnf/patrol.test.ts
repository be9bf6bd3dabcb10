import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { createLogger, silentLogger } from "@kubewright/log";
import { OpenWrtError } from "@kubewright/openwrt";
import { expect, it } from "vitest";
import { cnfRoute } from "../kinds/cnf-route.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { FakeCnf } from "../testing/fake-cnf.ts";
import { putCnf } from "../testing/fixtures.ts";
import { Patrol } from "./patrol.ts";
import { SessionPool } from "./session-pool.ts";

it("has what a CNF lost reconciled, and ends sessions with pods that are gone", async () => {
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
  const change = { origin, kind: cnfRoute, name: "a", wanted: { name: "a" }, same: () => true, inForce: true };
  const submitted = session.submit(change);
  await clock.advance(100);
  await submitted;

  const called: unknown[] = [];
  const stop = new AbortController();
  const patrol = new Patrol({
    pool,
    reader: cluster.client,
    intervalMs: 30_000,
    call: (each) => called.push(each),
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

it("tells why a CNF does not show what it holds, without the secrets that this repeats", async () => {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1"]);
  const clock = new FakeClock();
  const cnf = new FakeCnf();
  const endpoint = { scheme: "https" } as const;
  const pool = new SessionPool({ reader: cluster.client, connect: () => cnf, endpoint, session: { clock } });
  const pod = cluster.peek(Pod, "cnfs/edge7-0") ?? expect.unreachable();
  const session = await pool.sessionOf(pod);
  const origin = { kind: "CNFRoute", key: "default/a" };
  const change = { origin, kind: cnfRoute, name: "a", wanted: { name: "a" }, same: () => true, inForce: true };
  const submitted = session.submit(change);
  await clock.advance(100);
  await submitted;
  cnf.fail = () => new OpenWrtError(500, "psk between-us");
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const parts = { pool, reader: cluster.client, intervalMs: 30_000, call: () => {}, clock, logger };
  await new Patrol({ ...parts, hideOf: async () => (text) => text.replace("between-us", "***") }).round();
  expect(lines.join("")).toContain("Error Message: psk ***");
  await new Patrol(parts).round();
  await new Patrol({ ...parts, hideOf: () => Promise.reject(new Error("not known")) }).round();
  expect(lines).toHaveLength(3);
  expect(lines.join("")).not.toContain("between-us");
  await pool.close();
});
