import { describe, expect, it } from "vitest";
import type { UciObject } from "../uci/uci-object.ts";
import { dotted, type FlowTexts, flowOf } from "./flow.ts";
import { type Trace, traceOf } from "./trace.ts";
import { destinationIn, type TracedCnf, type TracedRoute } from "./traced-cnf.ts";

const paths = {
  zone: "firewall/v1/zones",
  rule: "firewall/v1/rules",
  forwarding: "firewall/v1/forwardings",
  redirect: "firewall/v1/redirects",
  network: "networkfirewall/v1/rules",
  nat: "nat/v1/nats",
  route: "route/v1/routes",
  routeRule: "rule/v1/rules",
  application: "application/v1/applications",
  policy: "mwan3/v1/policies",
  mwan3: "mwan3/v1/rules",
  remote: "ipsec/v1/remotes",
};
type Type = keyof typeof paths;
type Objects = Partial<Record<Type, readonly UciObject[]>>;

const address = (text: string): number => destinationIn(text)?.address ?? 0;
const routeTo = (text: string, device: string, gateway?: string, table = "main"): TracedRoute => ({
  table,
  destination: destinationIn(text) ?? { address: 0, bits: 0 },
  gateway,
  device,
  metric: 0,
});

/** A CNF with the LAN 10.1.0.0/24 on net1, the WAN 203.0.113.0/24 with the default route on net2, and the pod network on eth0. */
function cnfWith(objects: Objects, changes: Partial<TracedCnf> = {}): TracedCnf {
  return {
    objects: new Map(
      Object.entries(objects).map(([type, all]) => [
        paths[type as Type],
        all.map((object) => ({ object, resource: `${type} ${String(object.name)}` })),
      ]),
    ),
    interfaces: [
      { name: "eth0", addresses: [address("10.244.0.5")] },
      { name: "net1", addresses: [address("10.1.0.1")] },
      { name: "net2", addresses: [address("203.0.113.2")] },
    ],
    routes: [
      routeTo("default", "net2", "203.0.113.1"),
      routeTo("10.244.0.0/24", "eth0"),
      routeTo("10.1.0.0/24", "net1"),
      routeTo("203.0.113.0/24", "net2"),
    ],
    routeRules: undefined,
    wan: new Map(),
    tunnels: [],
    ...changes,
  };
}

const lan = { name: "lan", network: ["net1"], input: "ACCEPT", output: "ACCEPT", forward: "REJECT" };
const wan = { name: "wan", network: ["net2"], input: "REJECT", output: "ACCEPT", forward: "REJECT" };
const natted = { ...wan, masq: "1" };
const lanToWan = { name: "out", src: "lan", dest: "wan" };
const usual: Objects = { zone: [lan, wan], forwarding: [lanToWan] };
const inward = { from: "198.51.100.7", in: "net2", sourcePort: "40000" };
const outward = { from: "10.1.0.9", in: "net1", sourcePort: "40000" };
const web = { ...outward, to: "192.0.2.80:443/tcp" };
const toCnf = { ...inward, to: "203.0.113.2:22/tcp" };

type Row = readonly [reason: string, objects: Objects, flow: FlowTexts, expected: string, changes?: Partial<TracedCnf>];

/** Returns the result of a trace in one line: verdict, interface, addresses, tunnel, deciding resources. */
function lineOf({ verdict, steps }: Trace): string {
  const resources = steps.flatMap(({ resource, text }) =>
    resource === undefined || /^(enters|leaves) through/.test(text) ? [] : [resource],
  );
  const { isCertain, action, path, outgoing = "-", source, destination, tunnel } = verdict;
  return [
    `${isCertain ? "" : "?"}${action} ${path} ${outgoing} ${source.replace(/:40000$/, "")} ${destination}`,
    ...(tunnel === undefined ? [] : [`in ${tunnel}`]),
    ...(resources.length === 0 ? [] : [`by ${resources.join(", ")}`]),
  ].join(" ");
}

const accept = (fields: object): UciObject => ({ name: "r", target: "ACCEPT", ...fields });
const drop = (fields: object): UciObject => ({ name: "d", target: "DROP", ...fields });
const dnat = (fields: object): UciObject => ({ name: "n", target: "DNAT", src: "wan", ...fields });
const snat = (fields: object): UciObject => ({ name: "s", target: "SNAT", dest: "wan", ...fields });
const out = "accepted forward net2 10.1.0.9 192.0.2.80:443";

/** Zones and forwardings. @see https://openwrt.org/docs/guide-user/firewall/firewall_configuration */
const zoneRows: readonly Row[] = [
  ["without zones, the policy of the image accepts", {}, web, out],
  ["a forwarding accepts traffic from its source zone to its destination zone", usual, web, `${out} by forwarding out`],
  [
    "a forwarding covers one direction only: the policy of the other zone does not apply, because the packet leaves through another zone; the default policy does",
    usual,
    { ...inward, to: "10.1.0.9:80/tcp" },
    "accepted forward net1 198.51.100.7 10.1.0.9:80",
  ],
  [
    "the policy forward of a zone is about traffic between networks of the same zone",
    { zone: [{ ...lan, network: ["net1", "net2"] }] },
    web,
    "rejected forward - 10.1.0.9 192.0.2.80:443 by zone lan",
  ],
  [
    "a zone with forward ACCEPT accepts traffic between its networks",
    { zone: [{ ...lan, network: ["net1", "net2"], forward: "ACCEPT" }] },
    web,
    `${out} by zone lan`,
  ],
  [
    "a zone with forward DROP drops traffic between its networks",
    { zone: [{ ...lan, network: ["net1", "net2"], forward: "DROP" }] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by zone lan",
  ],
  [
    "a zone without forward inherits the policy of the defaults section",
    { zone: [{ name: "lan", network: ["net1", "net2"] }] },
    web,
    `${out} by zone lan`,
  ],
  [
    "if two zones contain the interface, the first one decides",
    {
      zone: [
        { ...lan, network: ["net1", "net2"], forward: "DROP" },
        { ...wan, network: ["net1", "net2"], forward: "ACCEPT" },
      ],
    },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by zone lan",
  ],
  [
    "if the first zone does not contain the outgoing interface, the second one that contains the incoming one decides",
    { zone: [lan, { ...wan, network: ["net1", "net2"], forward: "DROP" }] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by zone wan",
  ],
  [
    "a zone with a subnet contains only packets from it",
    { zone: [{ ...lan, subnet: ["10.1.0.128/25"], network: ["net1", "net2"], forward: "DROP" }] },
    web,
    out,
  ],
  [
    "a zone of a subnet without networks needs no interface",
    { zone: [{ name: "lan", subnet: ["10.1.0.0/24"], input: "DROP" }] },
    { ...outward, to: "10.1.0.1:22/tcp" },
    "dropped input - 10.1.0.9 10.1.0.1:22 by zone lan",
  ],
  [
    "a zone for IPv6 does not apply to IPv4",
    { zone: [{ ...wan, family: "ipv6" }] },
    toCnf,
    "accepted input - 198.51.100.7 203.0.113.2:22",
  ],
  [
    "a forwarding for IPv6 does not apply to IPv4",
    { zone: [{ ...lan, network: ["net1"] }, wan], forwarding: [{ ...lanToWan, family: "ipv6" }] },
    web,
    out,
  ],
  [
    "the policy input of the incoming zone decides on packets to the CNF",
    usual,
    toCnf,
    "rejected input - 198.51.100.7 203.0.113.2:22 by zone wan",
  ],
  [
    "input ACCEPT of the LAN accepts packets to the CNF",
    usual,
    { ...outward, to: "10.1.0.1:22/tcp" },
    "accepted input - 10.1.0.9 10.1.0.1:22 by zone lan",
  ],
  [
    "the zone of the incoming interface decides, whichever address of the CNF is the destination",
    usual,
    { ...outward, to: "203.0.113.2:22/tcp" },
    "accepted input - 10.1.0.9 203.0.113.2:22 by zone lan",
  ],
  [
    "input DROP drops packets to the CNF",
    { zone: [{ ...wan, input: "DROP" }] },
    toCnf,
    "dropped input - 198.51.100.7 203.0.113.2:22 by zone wan",
  ],
  [
    "the policy output decides on packets of the CNF itself",
    { zone: [{ ...wan, output: "REJECT" }] },
    { from: "203.0.113.2", to: "192.0.2.80:443/tcp", sourcePort: "40000" },
    "rejected output - 203.0.113.2 192.0.2.80:443 by zone wan",
  ],
];

/** Traffic rules, which come before forwardings and policies of their zone. */
const ruleRows: readonly Row[] = [
  [
    "a rule from a zone without a destination is about packets to the CNF",
    { ...usual, rule: [accept({ src: "wan", proto: "tcp", dest_port: "22" })] },
    toCnf,
    "accepted input - 198.51.100.7 203.0.113.2:22 by rule r",
  ],
  [
    "such a rule does not apply to forwarded packets",
    { ...usual, rule: [drop({ src: "lan", proto: "tcp" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "a rule with source and destination is about forwarded packets, before the forwarding",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", proto: "tcp", dest_port: "443" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by rule d",
  ],
  [
    "the first rule that matches decides",
    {
      ...usual,
      rule: [accept({ src: "lan", dest: "wan", proto: "tcp" }), drop({ src: "lan", dest: "wan", proto: "tcp" })],
    },
    web,
    `${out} by rule r`,
  ],
  [
    "without a protocol, a rule applies to TCP and UDP",
    { ...usual, rule: [drop({ src: "lan", dest: "wan" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by rule d",
  ],
  [
    "without a protocol, a rule does not apply to ICMP",
    { ...usual, rule: [drop({ src: "lan", dest: "wan" })] },
    { from: "10.1.0.9", in: "net1", to: "192.0.2.80/icmp" },
    "accepted forward net2 10.1.0.9 192.0.2.80 by forwarding out",
  ],
  [
    "with icmp, a rule without types applies to all types",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", proto: "icmp" })] },
    { from: "10.1.0.9", in: "net1", to: "192.0.2.80/icmp" },
    "dropped forward - 10.1.0.9 192.0.2.80 by rule d",
  ],
  [
    "with ICMP types, a rule applies to these types only",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", proto: "icmp", icmp_type: ["echo-reply"] })] },
    { from: "10.1.0.9", in: "net1", to: "192.0.2.80/icmp" },
    "accepted forward net2 10.1.0.9 192.0.2.80 by forwarding out",
  ],
  [
    "all applies to every protocol",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", proto: "all" })] },
    { from: "10.1.0.9", in: "net1", to: "192.0.2.80/esp" },
    "dropped forward - 10.1.0.9 192.0.2.80 by rule d",
  ],
  [
    "without a target, a rule rejects",
    { ...usual, rule: [{ name: "r", src: "lan", dest: "wan", proto: "tcp" }] },
    web,
    "rejected forward - 10.1.0.9 192.0.2.80:443 by rule r",
  ],
  [
    "a rule for a source address applies to this address",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", src_ip: "10.1.0.8/30" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by rule d",
  ],
  [
    "and to no other",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", src_ip: "10.1.0.4/30" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "a rule for a source port applies to this port",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", src_port: "40000" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by rule d",
  ],
  [
    "if the source port is not known, the verdict depends on it",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", src_port: "40000" })] },
    { ...web, sourcePort: undefined },
    `?${out} by forwarding out`,
  ],
  [
    "a rule with a MAC address needs to know it",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", src_mac: "0A:00:00:00:00:02" })] },
    web,
    `?${out} by forwarding out`,
  ],
  [
    "letter case does not matter in a MAC address",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", src_mac: "0A:00:00:00:00:02" })] },
    { ...web, mac: "0a:00:00:00:00:02" },
    "dropped forward - 10.1.0.9 192.0.2.80:443 by rule d",
  ],
  [
    "a rule to a zone decides only packets that leave through it",
    {
      zone: [lan, wan, { name: "pod", network: ["eth0"], forward: "REJECT" }],
      forwarding: [lanToWan],
      rule: [drop({ src: "lan", dest: "pod" })],
    },
    web,
    `${out} by forwarding out`,
  ],
  [
    "a rule for IPv6 does not apply to IPv4",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", family: "ipv6" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "a rule without zones is about packets of the CNF itself",
    { ...usual, rule: [drop({ proto: "all" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "and decides them before the policy output",
    { ...usual, rule: [drop({ proto: "all" })] },
    { from: "203.0.113.2", to: "192.0.2.80:443/tcp", sourcePort: "40000" },
    "dropped output - 203.0.113.2 192.0.2.80:443 by rule d",
  ],
  [
    "a rule to a zone without a source is about packets of the CNF itself",
    { ...usual, rule: [drop({ dest: "wan", proto: "tcp" })] },
    { from: "203.0.113.2", to: "192.0.2.80:443/tcp", sourcePort: "40000" },
    "dropped output - 203.0.113.2 192.0.2.80:443 by rule d",
  ],
  [
    "the arguments in extra are not interpreted",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", extra: "-m time --timestart 20:00" })] },
    web,
    `?${out} by forwarding out`,
  ],
  [
    "a rule that refers to a zone that does not exist is skipped",
    { ...usual, rule: [drop({ src: "lan", dest: "nowhere" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "a rule matches the mark that an earlier rule sets, in spite of its source zone",
    {
      ...usual,
      rule: [
        { name: "m", target: "MARK", src: "wan", set_mark: "0x10", proto: "tcp" },
        drop({ src: "lan", dest: "wan", mark: "0x10" }),
      ],
    },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by rule m, rule d",
  ],
  [
    "a rule with a negated mark does not match this mark",
    { ...usual, rule: [drop({ src: "lan", dest: "wan", mark: "!0x10" })] },
    { ...web, mark: "0x10" },
    `${out} by forwarding out`,
  ],
];

/** Rules on interfaces, which come before the zones after a reload. */
const networkRows: readonly Row[] = [
  [
    "a rule with dest is about forwarded packets, before the zones",
    { ...usual, network: [drop({ src: "net1", dest: "net2", proto: "tcp" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by network d",
  ],
  [
    "a rule without dest is about packets to the CNF",
    { ...usual, network: [drop({ src: "net1", proto: "tcp" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "and decides them before the zones",
    { ...usual, network: [accept({ src: "net2", proto: "tcp", dest_port: "22" })] },
    toCnf,
    "accepted input - 198.51.100.7 203.0.113.2:22 by network r",
  ],
  [
    "#default is the interface of the default route",
    { ...usual, network: [accept({ src: "#default", proto: "tcp" })] },
    toCnf,
    "accepted input - 198.51.100.7 203.0.113.2:22 by network r",
  ],
  [
    "# and an address is the interface with this address",
    { ...usual, network: [drop({ src: "#10.1.0.1", dest: "net2", proto: "tcp" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by network d",
  ],
  [
    "an interface that does not exist is not known",
    { ...usual, network: [drop({ src: "#10.9.9.9", dest: "net2", proto: "tcp" })] },
    web,
    `?${out} by forwarding out`,
  ],
  [
    "the CNF ignores the ports of a rule without a protocol",
    { ...usual, network: [drop({ src: "net1", dest: "net2", src_port: "1" })] },
    web,
    "dropped forward - 10.1.0.9 192.0.2.80:443 by network d",
  ],
];

/** Translation of addresses: the destination before routing, the source after filtering. */
const natRows: readonly Row[] = [
  [
    "masquerading uses the address of the outgoing interface",
    { zone: [lan, natted], forwarding: [lanToWan] },
    web,
    "accepted forward net2 203.0.113.2 192.0.2.80:443 by forwarding out, zone wan",
  ],
  [
    "masq_src with ! excludes sources",
    { zone: [lan, { ...natted, masq_src: ["!10.1.0.0/28"] }], forwarding: [lanToWan] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "masq_src restricts sources",
    { zone: [lan, { ...natted, masq_src: ["10.1.0.128/25"] }], forwarding: [lanToWan] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "masq_dest restricts destinations",
    { zone: [lan, { ...natted, masq_dest: ["192.0.2.0/24"] }], forwarding: [lanToWan] },
    web,
    "accepted forward net2 203.0.113.2 192.0.2.80:443 by forwarding out, zone wan",
  ],
  [
    "a FirewallSNAT comes before masq of its zone",
    { zone: [lan, natted], forwarding: [lanToWan], redirect: [snat({ src_dip: "203.0.113.9", proto: "tcp" })] },
    web,
    "accepted forward net2 203.0.113.9 192.0.2.80:443 by forwarding out, redirect s",
  ],
  [
    "a FirewallSNAT for another zone does not apply",
    { ...usual, redirect: [snat({ src_dip: "203.0.113.9", proto: "tcp", dest: "lan" })] },
    web,
    `${out} by forwarding out`,
  ],
  [
    "dest_ip of a FirewallSNAT is the destination",
    { ...usual, redirect: [snat({ src_dip: "203.0.113.9", proto: "tcp", dest_ip: "192.0.2.0/25" })] },
    web,
    "accepted forward net2 203.0.113.9 192.0.2.80:443 by forwarding out, redirect s",
  ],
  [
    "the firewall skips a FirewallSNAT with a MAC address",
    { ...usual, redirect: [snat({ src_dip: "203.0.113.9", proto: "tcp", src_mac: "0a:00:00:00:00:02" })] },
    { ...web, mac: "0a:00:00:00:00:02" },
    `${out} by forwarding out`,
  ],
  [
    "a translated destination is routed and accepted, although no forwarding exists",
    { ...usual, redirect: [dnat({ src_dport: "8080", proto: "tcp", dest_ip: "10.1.0.9", dest_port: "80" })] },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "accepted forward net1 198.51.100.7 10.1.0.9:80 by redirect n, zone wan",
  ],
  [
    "without dest_port, the port stays",
    { ...usual, redirect: [dnat({ src_dport: "8080", proto: "tcp", dest_ip: "10.1.0.9" })] },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "accepted forward net1 198.51.100.7 10.1.0.9:8080 by redirect n, zone wan",
  ],
  [
    "a FirewallDNAT of another zone does not apply",
    { ...usual, redirect: [dnat({ src: "lan", src_dport: "8080", proto: "tcp", dest_ip: "10.1.0.9" })] },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "rejected input - 198.51.100.7 203.0.113.2:8080 by zone wan",
  ],
  [
    "without dest_ip, the packet goes to the CNF itself",
    { ...usual, redirect: [dnat({ src_dport: "8080", proto: "tcp", dest_port: "22" })] },
    { ...inward, to: "192.0.2.1:8080/tcp" },
    "accepted input - 198.51.100.7 203.0.113.2:22 by redirect n, zone wan",
  ],
  [
    "a rule comes before the acceptance of translated packets, and sees the new destination",
    {
      ...usual,
      redirect: [dnat({ src_dport: "8080", proto: "tcp", dest_ip: "10.1.0.9", dest_port: "80" })],
      rule: [drop({ src: "wan", dest: "lan", proto: "tcp", dest_port: "80" })],
    },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "dropped forward - 198.51.100.7 10.1.0.9:80 by redirect n, rule d",
  ],
  [
    "a CNFNAT comes before the redirects of the zones",
    {
      ...usual,
      nat: [{ name: "c", target: "DNAT", proto: "tcp", src_dport: "8080", dest_ip: "10.1.0.7" }],
      redirect: [dnat({ src_dport: "8080", proto: "tcp", dest_ip: "10.1.0.9" })],
    },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "accepted forward net1 198.51.100.7 10.1.0.7:8080 by nat c, zone wan",
  ],
  [
    "of CNFNATs with an index, the one that was written last comes first",
    {
      nat: ["a", "b"].map((name, index) => ({
        name,
        target: "DNAT",
        proto: "tcp",
        src_dport: "8080",
        dest_ip: `10.1.0.${index + 7}`,
        index: "2",
      })),
    },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "accepted forward net1 198.51.100.7 10.1.0.8:8080 by nat b",
  ],
  [
    "the order of CNFNATs with different indexes is not determined",
    {
      nat: ["a", "b"].map((name, index) => ({
        name,
        target: "DNAT",
        proto: "tcp",
        src_dport: "8080",
        dest_ip: `10.1.0.${index + 7}`,
        index: `${index + 1}`,
      })),
    },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "?accepted forward net1 198.51.100.7 10.1.0.7:8080 by nat a",
  ],
  [
    "a CNFNAT for another interface does not apply",
    { nat: [{ name: "c", target: "DNAT", src: "net1", proto: "tcp", src_dport: "8080", dest_ip: "10.1.0.7" }] },
    { ...inward, to: "203.0.113.2:8080/tcp" },
    "accepted input - 198.51.100.7 203.0.113.2:8080",
  ],
  [
    "a CNFNAT that masquerades uses the address of the interface",
    { nat: [{ name: "c", target: "MASQUERADE", dest: "net2" }] },
    web,
    "accepted forward net2 203.0.113.2 192.0.2.80:443 by nat c",
  ],
  [
    "#source is the interface with the new source address",
    { nat: [{ name: "c", target: "SNAT", dest: "#source", src_dip: "203.0.113.2" }] },
    web,
    "accepted forward net2 203.0.113.2 192.0.2.80:443 by nat c",
  ],
  [
    "the image masquerades packets to the pod network",
    {},
    { ...outward, to: "10.244.0.80:443/tcp" },
    "accepted forward eth0 10.244.0.5 10.244.0.80:443",
  ],
  [
    "a CNFNAT without an index is behind this rule of the image",
    { nat: [{ name: "c", target: "SNAT", dest: "eth0", src_dip: "10.244.0.77" }] },
    { ...outward, to: "10.244.0.80:443/tcp" },
    "accepted forward eth0 10.244.0.5 10.244.0.80:443",
  ],
  [
    "a CNFNAT at the index 1 is before this rule of the image",
    { nat: [{ name: "c", target: "SNAT", dest: "eth0", src_dip: "10.244.0.77", index: "1" }] },
    { ...outward, to: "10.244.0.80:443/tcp" },
    "accepted forward eth0 10.244.0.77 10.244.0.80:443 by nat c",
  ],
  [
    "NOTRACK prevents the translation of a connection",
    { zone: [lan, natted], forwarding: [lanToWan], rule: [{ name: "t", target: "NOTRACK", src: "lan", proto: "tcp" }] },
    web,
    `${out} by rule t, forwarding out`,
  ],
];

const cnfRoute = { name: "hub", dst: "172.16.0.0/16", gw: "10.1.0.254", dev: "net1", table: "cnf" };
const inTable = { routes: [...(cnfWith({}).routes ?? []), routeTo("172.16.0.0/16", "net1", "10.1.0.254", "40")] };
const toHub = { ...inward, in: "eth0", from: "10.244.0.9", to: "172.16.1.1:80/tcp" };

/** Routes and the rules that choose their tables. @see ip-rule(8), ip-route(8) */
const routeRows: readonly Row[] = [
  [
    "without a rule for its table, a route has no effect",
    { route: [cnfRoute] },
    toHub,
    "accepted forward net2 10.244.0.9 172.16.1.1:80",
    inTable,
  ],
  [
    "a rule chooses the table for its sources",
    { route: [cnfRoute], routeRule: [{ name: "pods", src: "10.244.0.0/24", prio: "650", table: "40" }] },
    toHub,
    "accepted forward net1 10.244.0.9 172.16.1.1:80 by route hub, routeRule pods",
    inTable,
  ],
  [
    "a rule with not chooses it for all others",
    { route: [cnfRoute], routeRule: [{ name: "pods", src: "10.244.0.0/24", prio: "650", table: "40", flag: true }] },
    toHub,
    "accepted forward net2 10.244.0.9 172.16.1.1:80",
    inTable,
  ],
  [
    "a table without a matching route passes the packet to the next rule",
    { routeRule: [{ name: "pods", src: "10.244.0.0/24", prio: "650", table: "40" }] },
    { ...toHub, to: "192.0.2.80:443/tcp" },
    "accepted forward net2 10.244.0.9 192.0.2.80:443 by routeRule pods",
    inTable,
  ],
  [
    "a rule for a mark applies to packets with it",
    {
      route: [cnfRoute],
      routeRule: [{ name: "pods", fwmark: "0x20", dst: "172.16.0.0/12", prio: "650", table: "40" }],
    },
    { ...toHub, mark: "0x20" },
    "accepted forward net1 10.244.0.9 172.16.1.1:80 by route hub, routeRule pods",
    inTable,
  ],
  [
    "and not to packets without",
    {
      route: [cnfRoute],
      routeRule: [{ name: "pods", fwmark: "0x20", dst: "172.16.0.0/12", prio: "650", table: "40" }],
    },
    toHub,
    "accepted forward net2 10.244.0.9 172.16.1.1:80",
    inTable,
  ],
  [
    "an application chooses the table of the CNF for its pods",
    { route: [cnfRoute], application: [{ name: "shop", iplist: "10.244.0.8,10.244.0.9" }] },
    toHub,
    "accepted forward net1 10.244.0.9 172.16.1.1:80 by route hub, application shop",
    inTable,
  ],
  [
    "the longest prefix applies, whatever the order",
    {},
    { ...outward, to: "192.0.2.80:443/tcp" },
    "accepted forward net1 10.1.0.9 192.0.2.80:443",
    { routes: [routeTo("default", "net2"), routeTo("192.0.0.0/8", "net2"), routeTo("192.0.2.0/24", "net1")] },
  ],
  [
    "without a route, a packet cannot be forwarded",
    {},
    web,
    "unroutable forward - 10.1.0.9 192.0.2.80:443",
    { routes: [routeTo("10.1.0.0/24", "net1")] },
  ],
  [
    "if the routes of the CNF are not known, those of resources decide under a condition",
    { route: [{ ...cnfRoute, table: "default" }] },
    { ...outward, to: "172.16.1.1:80/tcp" },
    "?accepted forward net1 10.1.0.9 172.16.1.1:80 by route hub",
    { routes: undefined, wan: undefined },
  ],
  [
    "without --in, the route to the source determines the incoming interface, under a condition",
    usual,
    { from: "10.1.0.9", to: "192.0.2.80:443/tcp", sourcePort: "40000" },
    `?${out} by forwarding out`,
  ],
];

const balance = {
  name: "both",
  members: [
    { interface: "net2", metric: "1", weight: "1" },
    { interface: "net3", metric: "2", weight: "1" },
  ],
};
const https = { name: "https", policy: "both", dest_port: "443", proto: "tcp" };
const online = {
  wan: new Map([
    ["net2", "online"],
    ["net3", "online"],
  ] as const),
};
const viaPolicy = { policy: [balance], mwan3: [https] };

/** mwan3. @see https://openwrt.org/docs/guide-user/network/wan/multiwan/mwan3 */
const wanRows: readonly Row[] = [
  [
    "a rule uses the online interface of its policy with the lowest metric",
    viaPolicy,
    web,
    `${out} by mwan3 https, policy both`,
    online,
  ],
  [
    "if this interface is offline, it uses the next one",
    viaPolicy,
    web,
    "accepted forward net3 10.1.0.9 192.0.2.80:443 by mwan3 https, policy both",
    {
      wan: new Map([
        ["net2", "offline"],
        ["net3", "online"],
      ] as const),
      routes: [routeTo("10.1.0.0/24", "net1"), routeTo("default", "net2"), routeTo("default", "net3")],
    },
  ],
  [
    "an interface without a route to the destination does not forward the packet",
    viaPolicy,
    web,
    "unroutable forward - 10.1.0.9 192.0.2.80:443 by mwan3 https, policy both",
    { wan: new Map([["net3", "online"]] as const) },
  ],
  [
    "if all are offline, the last resort is unreachable",
    viaPolicy,
    web,
    "unroutable forward - 10.1.0.9 192.0.2.80:443 by mwan3 https, policy both",
    { wan: new Map([["net2", "offline"]] as const) },
  ],
  [
    "with equal metrics, the choice is random",
    {
      policy: [{ ...balance, members: balance.members.map((member) => ({ ...member, metric: "1" })) }],
      mwan3: [https],
    },
    web,
    `?${out} by mwan3 https, policy both`,
    online,
  ],
  [
    "a rule for another port does not apply",
    viaPolicy,
    { ...web, to: "192.0.2.80:80/tcp" },
    "accepted forward net2 10.1.0.9 192.0.2.80:80",
    online,
  ],
  [
    "the first rule decides",
    {
      policy: [balance, { ...balance, name: "other", members: [balance.members[1] ?? {}] }],
      mwan3: [https, { ...https, name: "second", policy: "other" }],
    },
    web,
    `${out} by mwan3 https, policy both`,
    online,
  ],
  [
    "connected destinations are left alone",
    viaPolicy,
    { ...web, to: "10.244.0.80:443/tcp" },
    "accepted forward eth0 10.244.0.5 10.244.0.80:443",
    online,
  ],
  [
    "packets that enter through an interface of mwan3 are not assigned by rules",
    viaPolicy,
    { ...inward, to: "192.0.2.80:443/tcp" },
    "accepted forward net2 198.51.100.7 192.0.2.80:443",
    online,
  ],
];

const remote = { name: "hub", gateway: "192.0.2.1", type: "policy-based" };
const connection = {
  name: "c",
  conn_type: "tunnel",
  mode: "start",
  local_subnet: "10.1.0.0/24",
  remote_subnet: "172.16.0.0/16,172.20.0.0/16",
};
const tunnel: Objects = { remote: [{ ...remote, connections: [connection] }] };
const up = { tunnels: ["10.1.0.0/24 === 172.20.0.0/16"] };
const toSite = { ...outward, to: "172.20.1.1:80/tcp" };

/** IPsec policies. @see strongSwan ipsec.conf(5) */
const tunnelRows: readonly Row[] = [
  [
    "a tunnel takes packets between its networks",
    tunnel,
    toSite,
    "accepted forward net2 10.1.0.9 172.20.1.1:80 in remote hub c by remote hub",
    up,
  ],
  [
    "if the CNF does not report the tunnel, the packet may leave without encryption",
    tunnel,
    toSite,
    "?accepted forward net2 10.1.0.9 172.20.1.1:80 in remote hub c by remote hub",
  ],
  ["a tunnel takes no packets to other networks", tunnel, web, out, up],
  [
    "a tunnel compares the source after its translation",
    { ...tunnel, zone: [natted] },
    toSite,
    "accepted forward net2 203.0.113.2 172.20.1.1:80 by zone wan",
    up,
  ],
  [
    "a transport connection takes packets between the two ends",
    { remote: [{ ...remote, connections: [{ ...connection, conn_type: "transport" }] }] },
    { from: "203.0.113.2", to: "192.0.2.1:80/tcp", sourcePort: "40000" },
    "accepted output net2 203.0.113.2 192.0.2.1:80 in remote hub c by remote hub",
    { tunnels: ["203.0.113.2/32 === 192.0.2.1/32"] },
  ],
  [
    "an address that the peer assigns is not known",
    { remote: [{ ...remote, connections: [{ ...connection, local_subnet: "", local_sourceip: "%config" }] }] },
    toSite,
    "?accepted forward net2 10.1.0.9 172.20.1.1:80",
    up,
  ],
  [
    "local_nat replaces local_subnet",
    { remote: [{ ...remote, connections: [{ ...connection, local_nat: "10.99.0.0/24" }] }] },
    toSite,
    "accepted forward net2 10.1.0.9 172.20.1.1:80",
    up,
  ],
];

const rows = [...zoneRows, ...ruleRows, ...networkRows, ...natRows, ...routeRows, ...wanRows, ...tunnelRows];

describe("the trace of a flow", () => {
  it("is compared with at least 60 flows", () => {
    expect(rows.length).toBeGreaterThanOrEqual(60);
    expect(new Set(rows.map(([reason]) => reason)).size).toBe(rows.length);
  });

  it.each(rows.map(([reason, objects, flow, expected, changes]) => ({ reason, objects, flow, expected, changes })))(
    "follows OpenWrt: $reason",
    ({ objects, flow, expected, changes }) => {
      expect(lineOf(traceOf(cnfWith(objects, changes), flowOf(flow)))).toBe(expected);
    },
  );

  it("names what is not known, and the condition for a verdict", () => {
    const { conditions, unknown } = traceOf(
      cnfWith(
        { ...usual, rule: [drop({ src: "lan", dest: "wan", src_port: "1" })] },
        { routes: undefined, wan: undefined },
      ),
      flowOf({ from: "10.1.0.9", to: "192.0.2.80:443/tcp" }),
    );
    expect(conditions).toContain("the packet does not enter through zone lan (pass --in)");
    expect(unknown).toContain("the CNF's routes and routing rules that no resource describes");
  });

  it("refuses a description that is not a flow, with the option, the value and the remedy", () => {
    const flow = (texts: Partial<FlowTexts>) => () => flowOf({ from: "10.1.0.9", to: "192.0.2.80:443/tcp", ...texts });
    expect(flow({ from: "10.1.0" })).toThrow(
      '--from: "10.1.0" is not an IPv4 address such as 10.1.2.3, without leading zeros',
    );
    expect(flow({ to: "192.0.2.80:443" })).toThrow('--to: "192.0.2.80:443" is not such as 203.0.113.9:443/tcp');
    expect(flow({ to: "192.0.2.80/tcp" })).toThrow("with a port, such as 192.0.2.80:443/tcp");
    expect(flow({ to: "192.0.2.80:1/icmp" })).toThrow("without a port");
    expect(flow({ to: "192.0.2.80:70000/tcp" })).toThrow("a port from 1 to 65535");
    expect(flow({ to: "192.0.2.80:443/http" })).toThrow("with one of the protocols icmp, tcp");
    expect(flow({ mark: "0x10/0xff" })).toThrow("--mark");
    expect(flow({ in: "a b" })).toThrow("--in");
    expect(flow({ icmpType: "ping" })).toThrow("--icmp-type");
    expect(dotted(flowOf({ from: "10.1.0.9", to: "192.0.2.80/icmp" }).to)).toBe("192.0.2.80");
  });

  const many = (count: number, of: (index: number) => UciObject): readonly UciObject[] =>
    Array.from({ length: count }, (_, index) => ({ name: `x${index}`, ...of(index) }));
  const zones = many(4_000, () => ({ network: ["net1"] }));
  const last = "x3999";

  // Comparing each object with all others would take minutes.
  it.each<readonly [string, Objects, Partial<TracedCnf>]>([
    ["zones and rules", { zone: zones, rule: many(4_000, () => ({ src: last, dest: "x0", proto: "tcp" })) }, {}],
    ["zones and forwardings", { zone: zones, forwarding: many(4_000, () => ({ src: last, dest: "x0" })) }, {}],
    [
      "zones of one name",
      { zone: many(4_000, () => lan), rule: many(4_000, () => ({ src: "lan", proto: "udp" })) },
      {},
    ],
    [
      "zones and redirects",
      { zone: zones, redirect: many(4_000, () => ({ target: "DNAT", src: last, dest: "x0", proto: "udp" })) },
      {},
    ],
    [
      "zones without tracking",
      { zone: zones, rule: many(4_000, () => ({ target: "NOTRACK", src: "x0", dest: "x1" })) },
      {},
    ],
    [
      "translations of one zone",
      {
        zone: many(4_000, () => ({ ...wan, network: ["net2"] })),
        redirect: many(4_000, () => ({ target: "SNAT", dest: "wan", proto: "udp", src_dip: "203.0.113.2" })),
      },
      {},
    ],
    [
      "policies and rules of mwan3",
      { policy: many(8_000, () => ({})), mwan3: many(8_000, () => ({ policy: "x7999", proto: "udp" })) },
      {},
    ],
    [
      "routing rules and routes",
      {
        routeRule: many(4_000, (index) => ({ prio: String(index + 1), table: "main", src: "10.1.0.0/16" })),
        route: many(4_000, () => ({ dst: "10.9.0.0/24", dev: "net2" })),
      },
      {
        routes: Array.from({ length: 8_000 }, () => routeTo("10.9.0.0/24", "net2")),
        routeRules: Array.from({ length: 8_000 }, (_, index) => ({
          ...{ prio: index + 1, source: destinationIn("10.1.0.0/16"), destination: undefined },
          ...{ mark: undefined, not: false, table: "main" },
        })),
      },
    ],
  ])("follows a packet through thousands of %s in time", (_what, objects, changes) => {
    expect(traceOf(cnfWith(objects, changes), flowOf(web)).verdict.path).toBe("forward");
  });
});
