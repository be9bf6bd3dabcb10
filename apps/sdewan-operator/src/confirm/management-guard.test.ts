import { Deployment } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { FirewallDNAT } from "../api/firewall/firewall-nat.ts";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { endpointAnnotation } from "../api/group.ts";
import { CnfScope } from "../cnf/cnf-scope.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { putCnf } from "../testing/fixtures.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { managementGuard } from "./management-guard.ts";

const labels = { sdewanPurpose: "edge7" };

function start(annotations: Record<string, string> = {}) {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.244.0.7"], annotations);
  const zone = (name: string, spec: object): void =>
    void cluster.put<RuleObject>(FirewallZone, { metadata: { name, namespace: "cnfs", labels }, spec });
  zone("pods", { subnet: ["10.244.0.0/16"] });
  zone("wan", { network: ["ovn-net1"] });
  zone("narrow", { network: ["ovn-net1"], subnet: ["10.244.0.0/16"] });
  const guard = managementGuard({
    scope: CnfScope.from("*"),
    endpoint: { scheme: "https" },
    operatorAddresses: () => ["10.244.9.9"],
  });
  const check = (kind: Parameters<typeof guard>[1], spec: object, metadata: object = { labels }) => {
    const object = { apiVersion: "batch.sdewan.akraino.org/v1alpha1", kind: kind.kind, spec };
    return guard(cluster.client, kind, { ...object, metadata: { name: "a", namespace: "cnfs", ...metadata } });
  };
  return { cluster, check };
}

const drop = { target: "DROP", proto: "tcp" };
const dnat = { target: "DNAT", proto: "tcp", dest_ip: "10.0.0.1" };

describe("managementGuard", () => {
  it.each([
    [FirewallRule, { ...drop, src: "pods", dest_port: "443" }],
    [FirewallRule, { target: "REJECT", src: "pods" }],
    [FirewallRule, { ...drop, src: "pods", src_ip: "10.244.9.0/24", dest_ip: "10.244.0.7" }],
    [NetworkFirewallRule, { ...drop, src: "#default", dest_port: "443" }],
    [NetworkFirewallRule, { ...drop, src: "eth0", proto: "all" }],
    [NetworkFirewallRule, { ...drop, src: "#10.244.0.7" }],
    [FirewallDNAT, { src: "pods", src_dport: "443", dest_ip: "10.0.0.1" }],
    [FirewallDNAT, { src: "pods", src_dip: "10.244.0.7", dest_ip: "10.0.0.1" }],
    [CNFNAT, { ...dnat, src_dport: "443" }],
    [CNFNAT, { ...dnat, src: "#default" }],
    [CNFRoute, { dst: "10.244.0.0/16", dev: "net1" }],
    [CNFRoute, { dst: "10.244.9.9", dev: "net1", table: "default" }],
  ])("refuses a %o with %j", async (kind, spec) => {
    expect(await start().check(kind, spec)).toMatch(/^spec\.[a-z_]+: ".*" includes .*; set /);
  });

  it.each([
    [FirewallRule, { ...drop, src: "pods", dest_port: "80" }],
    [FirewallRule, { ...drop, src: "pods", dest: "wan", dest_port: "443" }],
    [FirewallRule, { ...drop, src: "wan", dest_port: "443" }],
    [FirewallRule, { ...drop, src: "narrow", dest_port: "443" }],
    [FirewallRule, { ...drop, src: "unknown", dest_port: "443" }],
    [FirewallRule, { ...drop, dest_port: "443" }], // packets of the CNF itself
    [FirewallRule, { target: "ACCEPT", src: "pods", dest_port: "443" }],
    [FirewallRule, { target: "DROP", proto: "udp", src: "pods", dest_port: "443" }],
    [FirewallRule, { ...drop, src: "pods", src_ip: "10.244.1.0/24" }],
    [FirewallRule, { ...drop, src: "pods", dest_ip: "10.244.0.8" }],
    [FirewallRule, { ...drop, src: "pods", mark: "0x1" }],
    [FirewallRule, { ...drop, src: "pods", family: "ipv6" }],
    [NetworkFirewallRule, { ...drop, src: "net1", dest_port: "443" }],
    [NetworkFirewallRule, { ...drop, src: "eth0", dest: "net1" }],
    [NetworkFirewallRule, { ...drop, src: "#10.244.0.8" }],
    [FirewallDNAT, { src: "wan", src_dport: "443", dest_ip: "10.0.0.1" }],
    [FirewallDNAT, { src: "pods", src_dport: "8443", dest_ip: "10.0.0.1" }],
    [CNFNAT, { ...dnat, src: "net1", src_dport: "443" }],
    [CNFNAT, { ...dnat, target: "SNAT", dest_port: "443" }],
    [CNFNAT, { ...dnat, src_dip: "192.0.2.1", src_dport: "443" }],
    [CNFRoute, { dst: "10.245.0.0/16", dev: "net1" }],
    [CNFRoute, { dst: "10.244.0.0/16", dev: "net1", table: "cnf" }],
    [CNFRoute, { dst: "10.244.0.0/16", dev: "#default" }],
    [CNFRoute, { dst: "default", dev: "net1" }],
    [CNFRoute, { dst: "0.0.0.0/0", dev: "net1" }],
    [FirewallZone, { input: "DROP", subnet: ["10.244.0.0/16"] }],
  ])("allows a %o with %j", async (kind, spec) => {
    expect(await start().check(kind, spec)).toBeUndefined();
  });

  it("guards the port that the annotation of the pods sets", async () => {
    const { check } = start({ [endpointAnnotation]: "https:8443" });
    expect(await check(CNFNAT, { ...dnat, src_dport: "443" })).toBeUndefined();
    expect(await check(CNFNAT, { ...dnat, src_dport: "8443" })).toContain('spec.src_dport: "8443" includes');
  });

  it("guards the usual port of a CNF that does not exist yet", async () => {
    const { check, cluster } = start({ [endpointAnnotation]: "https:8443" });
    cluster.remove(Deployment, "cnfs/edge7");
    expect(await check(CNFNAT, { ...dnat, src_dport: "443" })).toContain("REST API");
  });

  it("ignores objects without a purpose", async () => {
    expect(await start().check(CNFNAT, dnat, {})).toBeUndefined();
  });
});
