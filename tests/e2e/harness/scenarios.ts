import type { CnfSimulator } from "@kubewright/openwrt/testing";
import type { RuleKindName, Spec } from "./rules.ts";

type Rule = readonly [kind: RuleKindName, name: string, spec: Spec];

/** The life of one rule, and the expected state of a CNF. */
export interface RuleScenario {
  readonly kind: RuleKindName;
  /** Path in the REST API, below `sdewan/`. */
  readonly collection: string;
  /** The UCI configuration and the type of the section. */
  readonly uci: readonly [config: string, type: string];
  /** The command to a service after a change; undefined if changes take effect at once. */
  readonly service?: string;
  readonly name: string;
  /** Rules that it refers to. */
  readonly needs?: readonly Rule[];
  readonly spec: Spec;
  /** Fields that the CNF must then return. */
  readonly shows: object;
  readonly changed: Spec;
  readonly thenShows: object;
  /** Expected state of the CNF's system, for rules that are more than configuration. */
  readonly effects?: (cnf: CnfSimulator) => readonly string[];
  readonly effect?: string;
}

const lan: Rule = ["FirewallZone", "lan", { network: ["net-a"] }];
const wan: Rule = ["FirewallZone", "wan", { network: ["net-b"] }];
const proposal: Rule = [
  "IpsecProposal",
  "strong",
  { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" },
];
const everyMatch = { src_ip: "", src_port: "", dest_port: "", proto: "tcp", family: "ipv4", sticky: "0", timeout: "" };

const routeTable = (cnf: CnfSimulator): readonly string[] => cnf.kernel.routesOf("40");
const routingRules = (cnf: CnfSimulator): readonly string[] =>
  cnf.kernel.rules.map(({ not, from, table }) => `${not ? "not " : ""}from ${from} lookup ${table}`);
const packetFilter = (cnf: CnfSimulator): readonly string[] => cnf.iptables.all();

/** One of each rule kind, for a CNF with the networks net-a and net-b. */
export const ruleScenarios: readonly RuleScenario[] = [
  {
    kind: "Mwan3Policy",
    collection: "mwan3/v1/policies",
    uci: ["mwan3", "policy"],
    service: "/etc/init.d/mwan3 restart",
    name: "balanced",
    spec: { members: [{ network: "net-a", metric: 1, weight: 2 }] },
    shows: { members: [{ interface: "net1", metric: "1", weight: "2" }] },
    changed: {
      members: [
        { network: "net-b", metric: 1, weight: 3 },
        { network: "net-a", metric: 2, weight: 1 },
      ],
    },
    thenShows: {
      members: [
        { interface: "net2", metric: "1", weight: "3" },
        { interface: "net1", metric: "2", weight: "1" },
      ],
    },
  },
  {
    kind: "Mwan3Rule",
    collection: "mwan3/v1/rules",
    uci: ["mwan3", "rule"],
    service: "/etc/init.d/mwan3 restart",
    name: "https",
    needs: [["Mwan3Policy", "balanced", { members: [{ network: "net-a", metric: 1, weight: 2 }] }]],
    spec: { ...everyMatch, policy: "balanced", dest_ip: "198.51.100.0/24", dest_port: "443" },
    shows: { policy: "balanced", dest_ip: "198.51.100.0/24", dest_port: "443", proto: "tcp" },
    changed: {
      ...everyMatch,
      policy: "balanced",
      dest_ip: "203.0.113.0/24",
      proto: "udp",
      sticky: "1",
      timeout: "300",
    },
    thenShows: { policy: "balanced", dest_ip: "203.0.113.0/24", proto: "udp", sticky: "1", timeout: "300" },
  },
  {
    kind: "FirewallZone",
    collection: "firewall/v1/zones",
    uci: ["firewall", "zone"],
    service: "fw3 reload",
    name: "dmz",
    spec: { network: ["net-a"], input: "ACCEPT", masq: "1", masq_src: ["!10.0.0.0/8"] },
    shows: { network: ["net1"], input: "ACCEPT", masq: "1", masq_src: ["!10.0.0.0/8"] },
    changed: { network: ["net-a", "net-b"], input: "REJECT" },
    thenShows: { network: ["net1", "net2"], input: "REJECT" },
  },
  {
    kind: "FirewallRule",
    collection: "firewall/v1/rules",
    uci: ["firewall", "rule"],
    service: "fw3 reload",
    name: "no-telnet",
    needs: [lan, wan],
    spec: { src: "lan", dest: "wan", proto: "tcp", dest_port: "23", target: "DROP" },
    shows: { src: "lan", dest: "wan", proto: "tcp", dest_port: "23", target: "DROP" },
    changed: { src: "wan", proto: "icmp", icmp_type: ["ping"], target: "REJECT" },
    thenShows: { src: "wan", proto: "icmp", icmp_type: ["ping"], target: "REJECT" },
  },
  {
    kind: "FirewallForwarding",
    collection: "firewall/v1/forwardings",
    uci: ["firewall", "forwarding"],
    service: "fw3 reload",
    name: "out",
    needs: [lan, wan],
    spec: { src: "lan", dest: "wan" },
    shows: { src: "lan", dest: "wan" },
    changed: { src: "wan", dest: "lan", family: "ipv4" },
    thenShows: { src: "wan", dest: "lan", family: "ipv4" },
  },
  {
    kind: "FirewallSNAT",
    collection: "firewall/v1/redirects",
    uci: ["firewall", "redirect"],
    service: "fw3 reload",
    name: "as-gateway",
    needs: [wan],
    spec: { src_ip: "172.16.30.0/24", src_dip: "192.168.1.5", dest: "wan", proto: "tcp", target: "DNAT" },
    shows: { src_ip: "172.16.30.0/24", src_dip: "192.168.1.5", dest: "wan", proto: "tcp", target: "SNAT" },
    changed: { src_dip: "192.168.1.6", dest: "wan", proto: "udp" },
    thenShows: { src_dip: "192.168.1.6", dest: "wan", proto: "udp", target: "SNAT" },
  },
  {
    kind: "FirewallDNAT",
    collection: "firewall/v1/redirects",
    uci: ["firewall", "redirect"],
    service: "fw3 reload",
    name: "to-web",
    needs: [wan],
    spec: { src: "wan", src_dport: "80", dest_ip: "172.16.31.15", dest_port: "8080", proto: "tcp" },
    shows: { src: "wan", src_dport: "80", dest_ip: "172.16.31.15", dest_port: "8080", target: "DNAT" },
    changed: { src: "wan", src_dport: "443", dest_ip: "172.16.31.16", proto: "tcp" },
    thenShows: { src: "wan", src_dport: "443", dest_ip: "172.16.31.16", target: "DNAT" },
  },
  {
    kind: "NetworkFirewallRule",
    collection: "networkfirewall/v1/rules",
    uci: ["firewall-rule", "rule"],
    name: "no-dns",
    spec: { src: "net1", proto: "udp", dest_port: "53", target: "DROP" },
    shows: { src: "net1", proto: "udp", dest_port: "53", target: "DROP" },
    changed: { src: "net1", proto: "tcp", dest_port: "53", target: "ACCEPT" },
    thenShows: { src: "net1", proto: "tcp", dest_port: "53", target: "ACCEPT" },
    effects: packetFilter,
    effect: "-t filter -A INPUT -i net1 -p udp -m udp --dport 53 -j DROP",
  },
  {
    kind: "CNFNAT",
    collection: "nat/v1/nats",
    uci: ["firewall-nat", "nat"],
    name: "web-dnat",
    spec: { src_dport: "9443", proto: "tcp", dest_ip: "10.96.33.3", dest_port: "443", target: "DNAT", index: "0" },
    shows: { src_dport: "9443", proto: "tcp", dest_ip: "10.96.33.3", dest_port: "443", target: "DNAT", index: "0" },
    changed: { dest: "net1", src_dip: "172.16.30.10", target: "SNAT" },
    thenShows: { dest: "net1", src_dip: "172.16.30.10", target: "SNAT" },
    effects: packetFilter,
    effect: "-t nat -A PREROUTING -p tcp --dport 9443 -j DNAT --to-destination 10.96.33.3:443",
  },
  {
    kind: "CNFRoute",
    collection: "route/v1/routes",
    uci: ["route-cnf", "route"],
    name: "to-branch",
    spec: { dst: "172.21.0.0/16", gw: "172.16.30.1", dev: "net1", table: "cnf" },
    shows: { dst: "172.21.0.0/16", gw: "172.16.30.1", dev: "net1", table: "cnf" },
    changed: { dst: "172.22.0.0/16", dev: "net2", table: "cnf" },
    thenShows: { dst: "172.22.0.0/16", dev: "net2", table: "cnf" },
    effects: routeTable,
    effect: "172.21.0.0/16 via 172.16.30.1 dev net1",
  },
  {
    kind: "CNFRouteRule",
    collection: "rule/v1/rules",
    uci: ["rule-cnf", "rule"],
    name: "from-branch",
    spec: { src: "172.20.5.0/24", not: true, prio: "650", table: "40" },
    shows: { src: "172.20.5.0/24", flag: true, prio: "650", table: "40" },
    changed: { src: "172.20.6.0/24", prio: "650", table: "40" },
    thenShows: { src: "172.20.6.0/24", flag: false, prio: "650", table: "40" },
    effects: routingRules,
    effect: "not from 172.20.5.0/24 lookup 40",
  },
  {
    kind: "IpsecProposal",
    collection: "ipsec/v1/proposals",
    uci: ["ipsec", "proposal"],
    service: "/etc/init.d/ipsec restart",
    name: "weaker",
    spec: { encryption_algorithm: "aes128", hash_algorithm: "sha256", dh_group: "modp3072" },
    shows: { encryption_algorithm: "aes128", hash_algorithm: "sha256", dh_group: "modp3072" },
    changed: { encryption_algorithm: "aes256", hash_algorithm: "sha512", dh_group: "ecp521" },
    thenShows: { encryption_algorithm: "aes256", hash_algorithm: "sha512", dh_group: "ecp521" },
  },
  {
    kind: "IpsecHost",
    collection: "ipsec/v1/remotes",
    uci: ["ipsec", "remote"],
    service: "/etc/init.d/ipsec restart",
    name: "peer",
    needs: [proposal],
    spec: {
      name: "ignored",
      type: "policy-based",
      remote: "10.10.10.35",
      authentication_method: "psk",
      pre_shared_key: "only-between-us",
      crypto_proposal: ["strong"],
      connections: [
        { name: "second", conn_type: "transport", mode: "add", if_id: "7" },
        { name: "first", conn_type: "tunnel", mode: "start", local_sourceip: "%config", crypto_proposal: ["strong"] },
      ],
    },
    shows: {
      gateway: "10.10.10.35",
      authentication_method: "psk",
      pre_shared_key: "only-between-us",
      crypto_proposal: ["strong"],
    },
    changed: {
      remote: "10.10.10.36",
      authentication_method: "psk",
      pre_shared_key: "only-between-us-two",
      crypto_proposal: ["strong"],
      connections: [{ name: "first", conn_type: "tunnel", mode: "add" }],
    },
    thenShows: {
      gateway: "10.10.10.36",
      pre_shared_key: "only-between-us-two",
      connections: [{ name: "first", conn_type: "tunnel", mode: "add" }],
    },
  },
  {
    kind: "IpsecSite",
    collection: "ipsec/v1/remotes",
    uci: ["ipsec", "remote"],
    service: "/etc/init.d/ipsec restart",
    name: "hub",
    needs: [proposal],
    spec: {
      remote: "%any",
      authentication_method: "pubkey",
      local_public_cert: "cHVibGlj",
      local_private_cert: "cHJpdmF0ZQ==",
      shared_ca: "Y2E=___Y2Ey",
      crypto_proposal: ["strong"],
      connections: [{ name: "site", conn_type: "tunnel", mode: "start", local_subnet: "10.9.0.0/24" }],
    },
    shows: { gateway: "%any", connections: [{ name: "site", mode: "start", local_subnet: "10.9.0.0/24" }] },
    changed: {
      remote: "%any",
      authentication_method: "psk",
      pre_shared_key: "only-between-us",
      crypto_proposal: ["strong"],
      connections: [{ name: "site", conn_type: "tunnel", mode: "add", local_subnet: "10.8.0.0/24" }],
    },
    thenShows: { gateway: "%any", connections: [{ name: "site", mode: "add", local_subnet: "10.8.0.0/24" }] },
  },
  {
    kind: "SdewanApplication",
    collection: "application/v1/applications",
    uci: ["app-cnf", "rule"],
    name: "shop",
    spec: { podSelector: { matchLabels: { app: "nobody" } } },
    shows: {},
    changed: { podSelector: { matchLabels: { app: "nobody-else" } } },
    thenShows: {},
  },
];
