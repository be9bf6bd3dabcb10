import { describe, expect, it } from "vitest";
import { samples } from "../testing/samples.ts";
import type { CnfKind, CnfView, RuleObject } from "../uci/cnf-kind.ts";
import { cnfName, ruleKinds } from "./rule-kinds.ts";

const cnf: CnfView = {
  interfaceOf: (network) => network.replace("ovn-", ""),
  addressesOf: async () => ["10.1.0.2", "10.1.0.10"],
};

const zone = cnfName("FirewallZone", "a-zone-with-a-long-name");
const noConnectionFields = {
  local_subnet: "",
  local_nat: "",
  local_sourceip: "",
  local_updown: "",
  local_firewall: "",
  remote_subnet: "",
  remote_sourceip: "",
  remote_updown: "",
  remote_firewall: "",
  mark: "",
  if_id: "",
  crypto_proposal: null,
};
const noRemoteFields = {
  type: "",
  pre_shared_key: "",
  local_identifier: "",
  remote_identifier: "",
  force_crypto_proposal: "",
  local_public_cert: "",
  local_private_cert: "",
  shared_ca: "",
};
const noPacketFields = {
  src: "",
  src_ip: "",
  src_mac: "",
  src_port: "",
  proto: "",
  dest: "",
  dest_ip: "",
  dest_port: "",
  mark: "",
  target: "",
  set_mark: "",
  set_xmark: "",
  family: "",
  extra: "",
  icmp_type: null,
};
const noRedirectFields = {
  src: "",
  src_ip: "",
  src_dip: "",
  src_mac: "",
  src_port: "",
  src_dport: "",
  proto: "",
  dest: "",
  dest_ip: "",
  dest_port: "",
  mark: "",
  family: "",
};

/** The objects that the samples become, without their names. */
const expected: Readonly<Record<string, object>> = {
  Mwan3Policy: { members: [{ interface: "net1", metric: "1", weight: "2" }] },
  Mwan3Rule: {
    policy: "my_policy",
    src_ip: "",
    src_port: "",
    dest_ip: "198.51.100.0/24",
    dest_port: "443",
    proto: "tcp",
    family: "ipv4",
    sticky: "0",
    timeout: "",
  },
  FirewallZone: {
    network: ["net1", "net2"],
    masq: "",
    masq_src: ["!10.0.0.0/8"],
    masq_dest: null,
    masq_allow_invalid: "",
    mtu_fix: "",
    input: "ACCEPT",
    forward: "",
    output: "",
    family: "",
    subnet: null,
    extra_src: "",
    etra_dest: "",
  },
  FirewallRule: { ...noPacketFields, src: zone, proto: "icmp", icmp_type: ["ping"], target: "DROP" },
  FirewallForwarding: { src: zone, dest: zone, family: "" },
  FirewallSNAT: { ...noRedirectFields, src_dip: "1.2.3.4", dest: zone, target: "SNAT" },
  FirewallDNAT: { ...noRedirectFields, src: zone, src_dport: "80", dest_ip: "10.1.2.3", target: "DNAT" },
  NetworkFirewallRule: { ...noPacketFields, src: "#default", proto: "tcpudp", dest_port: "53", target: "DROP" },
  CNFNAT: {
    src: "",
    src_ip: "",
    src_dip: "",
    src_port: "",
    src_dport: "9443",
    proto: "tcp",
    dest: "",
    dest_ip: "10.96.33.3",
    dest_port: "443",
    target: "DNAT",
    index: "0",
  },
  CNFRoute: { dst: "172.21.0.0/16", gw: "", dev: "net1", table: "cnf" },
  CNFRouteRule: { src: "172.20.5.0/24", dst: "", flag: true, prio: "650", fwmark: "0x20", table: "40" },
  IpsecProposal: { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" },
  IpsecHost: {
    ...noRemoteFields,
    type: "policy-based",
    gateway: "10.0.0.9",
    authentication_method: "psk",
    pre_shared_key: "secret-key",
    crypto_proposal: ["my_proposal"],
    connections: [
      { ...noConnectionFields, name: "z_conn", conn_type: "transport", mode: "add", if_id: "7" },
      {
        ...noConnectionFields,
        name: "a_conn",
        conn_type: "tunnel",
        mode: "start",
        local_sourceip: "%config",
        crypto_proposal: ["my_proposal"],
      },
    ],
  },
  IpsecSite: {
    ...noRemoteFields,
    gateway: "%any",
    authentication_method: "pubkey",
    local_public_cert: "cHVibGlj",
    local_private_cert: "cHJpdmF0ZQ==",
    shared_ca: "Y2E=___Y2Ey",
    crypto_proposal: ["my_proposal"],
    connections: [
      { ...noConnectionFields, name: "s_conn", conn_type: "tunnel", mode: "start", local_subnet: "10.9.0.0/24" },
    ],
  },
  SdewanApplication: { iplist: "10.1.0.2,10.1.0.10" },
};

describe("the rule kinds", () => {
  it.each(samples("edge7").map((sample) => [sample.kind, sample] as const))(
    "%s becomes an object that the CNF accepts",
    async (name, sample) => {
      const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === name);
      expect(await kind?.toUci(sample as RuleObject, cnf)).toEqual(expected[name]);
    },
  );

  it("of the reference are written to their collections in the order of their dependencies, and restart their services", () => {
    const lines = ruleKinds.map(({ kind, path, finalizer, service, rank }) =>
      [kind.kind, path, finalizer.replace(".finalizers.sdewan.akraino.org", ""), service?.action ?? "-", rank].join(
        " ",
      ),
    );
    const reference = [
      "Mwan3Policy mwan3/v1/policies rule restart 0",
      "FirewallZone firewall/v1/zones rule reload 0",
      "IpsecProposal ipsec/v1/proposals proposal restart 0",
      "Mwan3Rule mwan3/v1/rules rule restart 1",
      "FirewallRule firewall/v1/rules rule reload 1",
      "FirewallForwarding firewall/v1/forwardings forwarding reload 1",
      "FirewallSNAT firewall/v1/redirects snat reload 1",
      "FirewallDNAT firewall/v1/redirects dnat reload 1",
      "IpsecHost ipsec/v1/remotes ipsec.host restart 1",
      "IpsecSite ipsec/v1/remotes ipsec.site restart 1",
      "NetworkFirewallRule networkfirewall/v1/rules networkfirewallrule - 2",
      "CNFNAT nat/v1/nats cnfnat - 2",
      "CNFRoute route/v1/routes rule - 2",
      "CNFRouteRule rule/v1/rules rule - 2",
      "SdewanApplication application/v1/applications rule - 2",
    ];
    expect(reference.filter((line) => !lines.includes(line))).toEqual([]);
  });

  it.each(ruleKinds.map((kind: CnfKind) => [kind.kind.kind, kind] as const))(
    "%s has a finalizer, a collection and names that Kubernetes and a CNF accept",
    (name, kind) => {
      expect(kind.finalizer).toMatch(/^[a-z0-9]+(\.[a-z0-9]+)*\.finalizers\.sdewan\.akraino\.org$/);
      expect(kind.path).toMatch(/^[a-z0-9]+\/v1\/[a-z0-9]+$/);
      for (const each of ["a", "a-name.of-some-length"]) {
        expect(kind.nameOnCnf(kind.nameOnCnf(each))).toBe(kind.nameOnCnf(each));
        expect(cnfName(name, each)).toBe(kind.nameOnCnf(each));
      }
    },
  );

  it("name connections like sections, and leave names of unknown kinds unchanged", () => {
    expect(cnfName("IpsecConnection", "a.b")).toBe("a_b");
    expect(cnfName("ConfigMap", "a.b")).toBe("a.b");
  });

  it("list their secrets", () => {
    const secrets = samples("edge7").flatMap((sample) => {
      const kind: CnfKind | undefined = ruleKinds.find((each) => each.kind.kind === sample.kind);
      return kind?.secrets(sample as RuleObject).filter(Boolean) ?? [];
    });
    expect(secrets).toEqual(["secret-key", "cHJpdmF0ZQ=="]);
  });
});
