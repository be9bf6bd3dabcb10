import type { KubeObject } from "@kubewright/apimachinery";
import { group, purposeLabel, version } from "../api/group.ts";

const specs: Readonly<Record<string, readonly [name: string, spec: object]>> = {
  Mwan3Policy: ["my-policy", { members: [{ network: "ovn-net1", metric: 1, weight: 2 }] }],
  FirewallZone: [
    "a-zone-with-a-long-name",
    { network: ["ovn-net1", "ovn-net2"], input: "ACCEPT", masq_src: ["!10.0.0.0/8"] },
  ],
  IpsecProposal: ["my-proposal", { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" }],
  Mwan3Rule: [
    "my-rule",
    {
      policy: "my-policy",
      src_ip: "",
      src_port: "",
      dest_ip: "198.51.100.0/24",
      dest_port: " 443 ",
      proto: "tcp",
      family: "ipv4",
      sticky: "0",
      timeout: "",
    },
  ],
  FirewallRule: ["my-rule", { src: "a-zone-with-a-long-name", proto: "icmp", icmp_type: ["ping"], target: "DROP" }],
  FirewallForwarding: ["my-forwarding", { src: "a-zone-with-a-long-name", dest: "a-zone-with-a-long-name" }],
  FirewallSNAT: ["my-snat", { src_dip: "1.2.3.4", dest: "a-zone-with-a-long-name", target: "ignored" }],
  FirewallDNAT: ["my-dnat", { src: "a-zone-with-a-long-name", src_dport: "80", dest_ip: "10.1.2.3" }],
  IpsecHost: [
    "my-host",
    {
      name: "ignored",
      type: "policy-based",
      remote: "10.0.0.9",
      authentication_method: "psk",
      pre_shared_key: "secret-key",
      crypto_proposal: ["my-proposal"],
      connections: [
        { name: "z-conn", conn_type: "transport", mode: "add", if_id: "7" },
        {
          name: "a-conn",
          conn_type: "tunnel",
          mode: "start",
          local_sourceip: "%config",
          crypto_proposal: ["my-proposal"],
        },
      ],
    },
  ],
  IpsecSite: [
    "my-site",
    {
      remote: "%any",
      authentication_method: "pubkey",
      local_public_cert: "cHVibGlj",
      local_private_cert: "cHJpdmF0ZQ==",
      shared_ca: "Y2E=___Y2Ey",
      crypto_proposal: ["my-proposal"],
      connections: [{ name: "s-conn", conn_type: "tunnel", mode: "start", local_subnet: "10.9.0.0/24" }],
    },
  ],
  NetworkFirewallRule: ["my-rule", { src: "#default", proto: "tcpudp", dest_port: "53", target: "DROP" }],
  CNFNAT: [
    "my-nat",
    { src_dport: "9443", proto: "tcp", dest_ip: "10.96.33.3", dest_port: "443", target: "DNAT", index: "0" },
  ],
  CNFRoute: ["my-route", { dst: "172.21.0.0/16", dev: "net1", table: "cnf" }],
  CNFRouteRule: ["my-rule", { src: "172.20.5.0/24", not: true, prio: "650", fwmark: "0x20", table: "40" }],
  SdewanApplication: ["my-application", { podSelector: { matchLabels: { app: "shop" } } }],
};

/**
 * Returns a valid object of each rule kind, referenced objects first, for a CNF with the networks ovn-net1 and
 * ovn-net2.
 */
export function samples(purpose: string): (KubeObject & { spec: object })[] {
  return Object.entries(specs).map(([kind, [name, spec]]) => ({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: "default", labels: { [purposeLabel]: purpose } },
    spec,
  }));
}
