import type { DefinedKind } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { admissionWarnings } from "./admission-warnings.ts";

const labels = { sdewanPurpose: "edge" };
const at = (name: string, more: object = {}) => ({ name, namespace: "default", labels, ...more });
const status = { state: "In Sync", appliedTime: "2026-01-01T00:00:00Z" };
const web = { proto: "tcp", dest_port: "80" } as const;

function start(scope = "same") {
  const cluster = new FakeCluster();
  const clock = new FakeClock();
  const warnings = admissionWarnings({ scope: CnfScope.from(scope), clock });
  const about = (kind: DefinedKind, metadata: { name: string }, spec: object, reader: Reader = cluster.client) => {
    const apiVersion = `${kind.group}/${kind.version}`;
    return warnings(reader, kind, { apiVersion, kind: kind.kind, metadata, spec } as never);
  };
  return { cluster, clock, about };
}

it("warns of a rule that will have no effect, and of one that leaves others without effect", async () => {
  const { cluster, about } = start();
  cluster.put(FirewallRule, { metadata: at("first"), spec: web, status });
  const inside = { ...web, src_ip: "10.0.0.0/8" };
  expect(await about(FirewallRule, at("new"), inside)).toEqual([
    "the rule has no effect: FirewallRule default/first comes before it on the CNF and matches all of its packets",
  ]);
  const early = at("new", { annotations: { "sdewan.akraino.org/order": "-1" } });
  expect(await about(FirewallRule, early, { proto: "all" })).toEqual([
    "the rule leaves no packets for rules that come after it on the CNF: FirewallRule default/first",
  ]);
  expect(await about(FirewallRule, early, inside)).toEqual([]);
  expect(await about(FirewallRule, at("first"), web)).toEqual([]);
  expect(await about(FirewallRule, at("new", { labels: {} }), web)).toEqual([]);
  expect(await about(FirewallRule, at("new", { namespace: "other" }), web)).toEqual([]);
  expect(await start("*").about(FirewallRule, at("new"), web)).toEqual([]);
  expect(await about(FirewallZone, at("new"), { network: ["n"] })).toEqual([]);
});

it("warns of a CNFService with the port of an older one", async () => {
  const { cluster, about } = start();
  const nat = { src_dport: "8443", dest_ip: "10.0.0.1", dest_port: "443", index: "2", proto: "tcp", target: "DNAT" };
  cluster.put(CNFNAT, { metadata: at("shopnat"), spec: nat, status } as never);
  const service = { fullname: "other.default.svc", port: " 8443 ", dport: "443" };
  expect(await about(CNFService, at("other"), service)).toEqual([
    "the rule has no effect: CNFNAT default/shopnat comes before it on the CNF and matches all of its packets",
  ]);
  const early = at("other", { annotations: { "sdewan.akraino.org/order": "-1" } });
  expect(await about(CNFService, early, service)).toEqual([
    "the rule leaves no packets for rules that come after it on the CNF: CNFNAT default/shopnat",
  ]);
  expect(await about(CNFService, at("shop"), service)).toEqual([]);
  expect(await about(CNFService, at("other"), { ...service, port: "8444" })).toEqual([]);
  expect(await about(CNFService, at("other"), { fullname: "other.default.svc" })).toEqual([]);
});

it("names only a few rules", async () => {
  const { cluster, about } = start();
  for (let index = 0; index < 50; index++)
    cluster.put(FirewallRule, { metadata: at(`rule-${index}-${"x".repeat(50)}`), spec: web, status });
  const early = at("new", { annotations: { "sdewan.akraino.org/order": "-1" } });
  const [warning = ""] = await about(FirewallRule, early, web);
  expect(warning.length).toBeLessThanOrEqual(250);
});

it("does not delay or prevent a write if the rules cannot be read", async () => {
  const { clock, about, cluster } = start();
  const failing: Reader = { ...cluster.client, list: () => Promise.reject(new Error("no kind")) };
  expect(await about(FirewallRule, at("new"), web, failing)).toEqual([]);
  const hanging: Reader = { ...cluster.client, list: () => new Promise(() => {}) };
  const pending = about(FirewallRule, at("new"), web, hanging);
  await clock.advance(1_000);
  expect(await pending).toEqual([]);
});
