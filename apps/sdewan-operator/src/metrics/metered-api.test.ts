import type { Pod } from "@kubewright/client/kinds";
import { Metrics } from "@kubewright/manager";
import { OpenWrtError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { FakeCnf } from "../testing/fake-cnf.ts";
import { cnfMetrics } from "./cnf-metrics.ts";
import { CnfRecords } from "./cnf-records.ts";
import { meteredApi } from "./metered-api.ts";

const labels = 'namespace="edge",pod="cnf-1",purpose="edge7"';
const podOf = (uid: string, restartCount = 0): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "cnf-1", namespace: "edge", uid, labels: { sdewanPurpose: "edge7" } },
  spec: { containers: [] },
  status: { containerStatuses: [{ name: "cnf", ready: true, restartCount, image: "cnf", imageID: "" }] },
});

function start() {
  const clock = { ms: 0, monotonic: () => clock.ms, now: () => clock.ms };
  const records = new CnfRecords();
  const metrics = new Metrics();
  const uids = new Set(["a"]);
  cnfMetrics(metrics, {
    records: () => records.keep(uids),
    groups: () => [],
    tunnelsOf: () => ({ tunnels: 3, started: 2 }),
  });
  const cnf = new FakeCnf();
  const connect = (pod = podOf("a")) => meteredApi(cnf, records.recordOf(pod), clock);
  const lines = async () => (await metrics.metrics()).split("\n").filter((line) => line.startsWith("sdewan_"));
  return { clock, records, uids, cnf, connect, lines };
}

describe("the measurements of a CNF", () => {
  it("contain the duration and the result of requests", async () => {
    const { clock, cnf, connect, lines } = start();
    const api = connect();
    cnf.fail = (request) => {
      clock.ms += 250;
      if (request.endsWith("/lost")) return new Error("socket hang up");
      if (request.endsWith("/gone")) return new OpenWrtError(404, "{}");
      if (request.endsWith("/bad")) return new OpenWrtError(400, "{}");
      if (request.endsWith("/broken")) return new OpenWrtError(500, "{}");
      return undefined;
    };
    const zones = api.collection("firewall/v1/zones");
    await zones.list();
    for (const name of ["gone", "bad", "broken"]) await zones.get(name).catch(() => {});
    await api.service("firewall").reload();
    expect(await lines()).toEqual(
      expect.arrayContaining([
        `sdewan_cnf_reachable{${labels}} 1`,
        `sdewan_cnf_latency_seconds{${labels}} 0.25`,
        `sdewan_cnf_requests_total{${labels}} 5`,
        `sdewan_cnf_request_seconds_total{${labels}} 1.25`,
        `sdewan_cnf_errors_total{${labels},reason="refused"} 1`,
        `sdewan_cnf_errors_total{${labels},reason="failed"} 1`,
        `sdewan_cnf_service_restarts_total{${labels},service="firewall"} 1`,
      ]),
    );
    await zones.get("lost").catch(() => {});
    expect(await lines()).toContain(`sdewan_cnf_reachable{${labels}} 0`);
    expect(await lines()).toContain(`sdewan_cnf_errors_total{${labels},reason="network"} 1`);
  });

  it("contain the last error without the keys that were sent, and the time since the CNF stopped responding", async () => {
    const { clock, records, cnf, connect } = start();
    const remotes = connect().collection("ipsec/v1/remotes");
    const record = records.find("a") ?? expect.unreachable();
    expect([record.lastError, record.reachableSinceMs, records.find("b")]).toEqual([undefined, undefined, undefined]);
    const sent = {
      name: "r",
      pre_shared_key: "swordfish",
      connections: [{ name: "c", local_private_cert: "pem pem" }],
    };
    cnf.fail = () => new OpenWrtError(400, '{"message":"no r: swordfish, pem pem"}');
    clock.ms = 1_000;
    await remotes.create(sent).catch(() => {});
    expect(record).toMatchObject({ isReachable: true, reachableSinceMs: 1_000, lastResponseMs: 1_000 });
    const object = { path: "ipsec/v1/remotes", name: "r" };
    expect(record.lastError).toEqual({
      atMs: 1_000,
      object,
      message: expect.stringMatching(/^Error Code: 400, .* not shown/),
    });
    await connect()
      .collection("firewall/v1/rules")
      .create({ ...sent, name: "f" })
      .catch(() => {});
    const rule = { path: "firewall/v1/rules", name: "f" };
    expect(record.lastError).toEqual({ atMs: 1_000, object: rule, message: expect.stringContaining("no r: ***, ***") });
    cnf.fail = () => new OpenWrtError(404, "{}");
    await remotes.get("r").catch(() => {});
    expect(record.lastError?.message).toContain("no r"); // 404 is a response like any other
    cnf.fail = () => new Error("socket hang up");
    for (clock.ms of [2_000, 3_000]) await remotes.list().catch(() => {});
    expect(record).toMatchObject({ isReachable: false, reachableSinceMs: 2_000, lastResponseMs: 1_000 });
    expect(record.lastError).toEqual({ atMs: 3_000, message: "socket hang up" });
  });

  it("do not count requests as failed that the operator aborted", async () => {
    const { cnf, connect, lines } = start();
    const api = connect();
    cnf.fail = () => new Error("aborted");
    await api.close();
    await api.interfaces();
    await api.status(new AbortController().signal).catch(() => {});
    expect((await lines()).filter((line) => line.includes("errors"))).toEqual([]);
    expect(await lines()).toContain(`sdewan_cnf_reachable{${labels}} 1`);
  });

  it("contain the number of requested tunnels and, if the CNF reports it, of those that are up", async () => {
    const { cnf, connect, lines } = start();
    const api = connect();
    const { signal } = new AbortController();
    const details = [{ up: "1", connecting: "1" }, { connection: "a === b" }, { up: "1", connecting: "0" }];
    cnf.modules = [{ name: "ipsec", status: { InitConnection: "fail", details } }];
    await api.status(signal);
    expect(await lines()).toContain(`sdewan_cnf_tunnels_configured{${labels}} 3`);
    expect(await lines()).toContain(`sdewan_cnf_tunnels_expected{${labels}} 2`);
    expect(await lines()).toContain(`sdewan_cnf_tunnels_up{${labels}} 2`);
    cnf.modules = [{ name: "ipsec", status: { details: [{ up: "many" }] } }];
    await api.statusOf("ipsec", signal);
    expect((await lines()).filter((line) => line.includes("tunnels_up"))).toEqual([]);
  });

  it("start again with each new life of the pod, which is counted, and end with the pod", async () => {
    const { records, uids, connect, lines } = start();
    await connect().interfaces();
    await connect(podOf("a")).interfaces();
    records.drifted("a", 2);
    await connect(podOf("a", 1)).interfaces();
    expect(await lines()).toContain(`sdewan_cnf_restarts_total{${labels}} 1`);
    expect(await lines()).toContain(`sdewan_cnf_drift_total{${labels}} 2`);
    uids.clear();
    expect(await lines()).toEqual([]);
    uids.add("a");
    expect(await lines()).toEqual([]);
  });
});
