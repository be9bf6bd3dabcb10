import { expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { FirewallDNAT, FirewallSNAT } from "../api/firewall/firewall-nat.ts";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { shadowsOver } from "./shadows.ts";

/**
 * An oracle that is independent of the analysis: it evaluates lists of rules against single packets, field by field, as the programs on a
 * CNF do. Where versions of these programs differ, it chooses the behavior of one version at random for each list of rules.
 */

type Fields = Readonly<Record<string, string | readonly string[]>>;
type Random = () => number;

/** @see https://github.com/bryc/code/blob/master/jshash/PRNGs.md mulberry32 */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const oneOf = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

interface Packet {
  readonly family: 4 | 6;
  readonly protocol: number;
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly icmpType: number;
  readonly icmpCode: number;
  readonly mac: string;
  readonly mark: number;
  readonly incoming: string | undefined;
  readonly outgoing: string | undefined;
  readonly zoneIn: string | undefined;
  readonly zoneOut: string | undefined;
  readonly id: number;
}

/** One choice of behavior where programs differ. `missing`: the program rejects the rule, so the CNF does not have it. */
interface World {
  readonly zero: "decimal" | "octal" | "missing";
  readonly slashZero: "any" | "host";
  readonly foreignPorts: "ignored" | "missing";
  readonly extra: "ignored" | "never" | "sometimes";
  readonly outsideMask: "strict" | "masked";
  readonly negatedMark: "inverted" | "missing";
  readonly natTcpudp: "both" | "missing";
  readonly lostSource: "any" | "net1";
  readonly anyIcmpv6: "all" | "missing";
}

const worldFrom = (random: Random): World => ({
  zero: oneOf(random, ["decimal", "octal", "missing"]),
  slashZero: oneOf(random, ["any", "host"]),
  foreignPorts: oneOf(random, ["ignored", "missing"]),
  extra: oneOf(random, ["ignored", "never", "sometimes"]),
  outsideMask: oneOf(random, ["strict", "masked"]),
  negatedMark: oneOf(random, ["inverted", "missing"]),
  natTcpudp: oneOf(random, ["both", "missing"]),
  lostSource: oneOf(random, ["any", "net1"]),
  anyIcmpv6: oneOf(random, ["all", "missing"]),
});

/** Thrown for a rule that the CNF does not have. */
class Missing extends Error {}
const missing = new Missing("the CNF does not have this rule");

function number(digits: string, world: World): number {
  if (/^0[xX]/.test(digits)) return Number(digits);
  if (!/^0\d/.test(digits)) return Number(digits);
  if (world.zero === "missing" || (world.zero === "octal" && /[89]/.test(digits))) throw missing;
  return world.zero === "octal" ? Number.parseInt(digits, 8) : Number(digits);
}

function isInNetwork(text: string, address: number, world: World, of: "firewall" | "iptables"): boolean {
  const [octets = "", bits = "32"] = text.split("/");
  const base = octets.split(".").reduce((sum, octet) => sum * 256 + number(octet, world), 0);
  const length = number(bits, world);
  if (length === 0) return of === "iptables" || world.slashZero === "any" || address === 0;
  const size = 2 ** (32 - length);
  return Math.floor(address / size) === Math.floor(base / size);
}

function isMarked(text: string, mark: number, world: World): boolean {
  const [digits = "", maskDigits] = text.replace("!", "").split("/");
  const value = BigInt(number(digits, world));
  const mask = maskDigits === undefined ? 0xffff_ffffn : BigInt(number(maskDigits, world));
  if (value > 0xffff_ffffn || mask > 0xffff_ffffn) throw missing;
  const wanted = world.outsideMask === "masked" ? value & mask : value;
  return ((BigInt(mark) & mask) === wanted) !== text.startsWith("!");
}

const numbers: Readonly<Record<string, number>> = {
  tcp: 6,
  udp: 17,
  icmp: 1,
  esp: 50,
  ah: 51,
  sctp: 132,
  udplite: 136,
};

/** IPv4 types and codes of ICMP, from the list in RFC 792 and its successors. */
const icmpOf: Readonly<Record<string, readonly [number, number?]>> = {
  "destination-unreachable": [3],
  "port-unreachable": [3, 3],
  "host-unreachable": [3, 1],
  redirect: [5],
  "host-redirect": [5, 1],
  ping: [8],
  "echo-request": [8],
  pong: [0],
  "ttl-exceeded": [11],
  "time-exceeded": [11],
  "ttl-zero-during-transit": [11, 0],
};
/** ICMPv6 types are different; some names do not exist, and the firewall then uses type 0. */
const icmpv6Of: Readonly<Record<string, readonly [number, number?]>> = {
  "destination-unreachable": [1],
  "port-unreachable": [1, 4],
  ping: [128],
  "echo-request": [128],
  pong: [129],
  redirect: [137],
  "ttl-exceeded": [3],
  "time-exceeded": [3],
  "ttl-zero-during-transit": [3, 0],
};

function isOfIcmpType(name: string, packet: Packet, world: World): boolean {
  if (name === "any" && packet.family === 6 && world.anyIcmpv6 === "missing") return false;
  if (name === "any") return true;
  const [type, code] = (packet.family === 6 ? icmpv6Of : icmpOf)[name] ?? [0, 0];
  return packet.icmpType === type && (code === undefined || packet.icmpCode === code);
}

const text = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};

/** Reports whether a packet has the addresses, link address, mark and IP version that fields name. */
function matchesPlainly(
  fields: Fields,
  packet: Packet,
  world: World,
  of: "firewall" | "iptables",
  [source, destination]: readonly [string, string],
): boolean {
  const [from, to] = [text(fields, source), text(fields, destination)];
  const mark = text(fields, "mark");
  const mac = text(fields, "src_mac");
  const results = [
    from === "" || isInNetwork(from, packet.source, world, of),
    to === "" || isInNetwork(to, packet.destination, world, of),
    mark === "" || isMarked(mark, packet.mark, world),
    mac === "" || mac.toLowerCase() === packet.mac,
    (from === "" && to === "") || packet.family === 4,
  ];
  return results.every(Boolean);
}

/** Reports whether a packet has one of the protocols of fields, and their ports. */
function matchesProtocol(
  fields: Fields,
  packet: Packet,
  world: World,
  [sourcePort, destinationPort]: readonly [string, string],
  {
    fallback,
    ports,
    icmp = [1],
  }: { fallback: string; ports: "firewall" | "ignored" | "strict"; icmp?: readonly number[] },
): boolean {
  const name = text(fields, "proto") || fallback;
  const [from, to] = [text(fields, sourcePort), text(fields, destinationPort)];
  const portsMatch = (): boolean =>
    [
      from === "" || number(from, world) === packet.sourcePort,
      to === "" || number(to, world) === packet.destinationPort,
    ].every(Boolean);
  const hasPorts = ["tcp", "udp", "tcpudp"].includes(name);
  if (!hasPorts && from + to !== "") {
    if (ports === "strict") throw missing;
    if (ports === "firewall" && name !== "icmp" && world.foreignPorts === "missing") throw missing;
  }
  if (name === "all") return true;
  if (name === "tcpudp") return [6, 17].includes(packet.protocol) && portsMatch();
  if (name !== "icmp") return numbers[name] === packet.protocol && (!hasPorts || portsMatch());
  if (!icmp.includes(packet.protocol)) return false;
  const types = Array.isArray(fields.icmp_type) ? (fields.icmp_type as readonly string[]) : [];
  return types.length === 0 || types.some((type) => isOfIcmpType(type, packet, world));
}

const isSometimes = (world: World, packet: Packet, salt: string): boolean =>
  world.extra === "ignored" || (world.extra === "sometimes" && (packet.id * 31 + salt.length) % 3 === 0);

const isFamily = (fields: Fields, packet: Packet): boolean => {
  const family = text(fields, "family");
  return family === "" || family === "any" || family === "all" || family === `ipv${packet.family}`;
};

/** Zones: `lan` and `wan` are plain, `odd` has additional arguments, and `six` applies to IPv6. No resource describes the zone `hand`. */
const zones: Readonly<Record<string, { extra_src?: string; family?: "ipv4" | "ipv6" }>> = {
  lan: {},
  wan: { family: "ipv4" },
  odd: { extra_src: "-m limit --limit 1/s" },
  six: { family: "ipv6" },
};

/** Reports whether a rule decides a packet. @throws {@link missing} if the CNF does not have the rule */
type Evaluate = (fields: Fields, packet: Packet, world: World) => boolean;

const evaluateFirewallRule: Evaluate = (fields, packet, world) => {
  const [src, dest, target] = [text(fields, "src"), text(fields, "dest"), text(fields, "target") || "REJECT"];
  if (target === "MARK" || target === "NOTRACK") return false;
  if (packet.zoneIn !== (src || undefined)) return false;
  if (src === "" ? dest !== "" && packet.zoneOut !== dest : packet.zoneOut !== (dest || undefined)) return false;
  if (src === "" && dest === "" && packet.zoneIn !== undefined) return false;
  if (src === "" && text(fields, "src_mac") !== "") throw missing;
  const matches = [
    isFamily(fields, packet),
    matchesPlainly(fields, packet, world, "firewall", ["src_ip", "dest_ip"]),
    matchesProtocol(fields, packet, world, ["src_port", "dest_port"], {
      fallback: "tcpudp",
      ports: "firewall",
      icmp: packet.family === 6 ? [58] : [1],
    }),
    text(fields, "extra") === "" || isSometimes(world, packet, text(fields, "extra")),
    dest === "" || (zones[dest] && !zones[dest].extra_src) || isSometimes(world, packet, dest + target),
    [src, dest].every((zone) => zones[zone]?.family === undefined || zones[zone].family === `ipv${packet.family}`),
  ];
  return matches.every(Boolean);
};

const evaluateRedirect =
  (target: "DNAT" | "SNAT"): Evaluate =>
  (fields, packet, world) => {
    const family = text(fields, "family");
    const [src, dest] = [text(fields, "src"), text(fields, "dest")];
    const isSkipped =
      family !== "" &&
      family !== "any" &&
      [src, dest].some((zone) => zones[zone]?.family && zones[zone].family !== family);
    if (isSkipped || (target === "SNAT" && text(fields, "src_mac") !== "")) throw missing;
    const [to, port] = target === "DNAT" ? ["src_dip", "src_dport"] : ["dest_ip", "dest_port"];
    const name = text(fields, "proto") || "tcpudp";
    const all = ["src_port", "src_dport", "dest_port"].some((each) => text(fields, each) !== "");
    if (all && !["tcp", "udp", "tcpudp"].includes(name) && world.foreignPorts === "missing") throw missing;
    for (const each of ["src_dport", "dest_port"]) if (text(fields, each) !== "") number(text(fields, each), world);
    const chain = target === "DNAT" ? packet.zoneIn === src : packet.zoneOut === dest;
    const matches = [
      chain && packet.family === 4 && isFamily(fields, packet),
      matchesPlainly(fields, packet, world, "firewall", ["src_ip", to ?? ""]),
      matchesProtocol(fields, packet, world, ["src_port", port ?? ""], { fallback: "tcpudp", ports: "firewall" }),
    ];
    return matches.every(Boolean);
  };

const evaluateNetworkFirewallRule: Evaluate = (fields, packet, world) => {
  const target = text(fields, "target");
  if (!["ACCEPT", "DROP", "REJECT"].includes(target) || text(fields, "src") === "") return false;
  const isIcmp = text(fields, "proto") === "icmp";
  if (isIcmp && !(Array.isArray(fields.icmp_type) && fields.icmp_type.length > 0)) throw missing;
  if (text(fields, "mark").startsWith("!") && world.negatedMark === "missing") throw missing;
  const matches = [
    packet.family === 4,
    packet.incoming === interfaceOf(text(fields, "src")),
    packet.outgoing === interfaceOf(text(fields, "dest")),
    matchesPlainly(fields, packet, world, "iptables", ["src_ip", "dest_ip"]),
    matchesProtocol(fields, packet, world, ["src_port", "dest_port"], { fallback: "all", ports: "ignored" }),
  ];
  return matches.every(Boolean);
};

const interfaceOf = (name: string): string | undefined =>
  name === "" ? undefined : name === "#default" ? "eth0" : name.startsWith("#") ? "net2" : name;

const evaluateNat: Evaluate = (fields, packet, world) => {
  const target = text(fields, "target");
  if (target === "") throw missing;
  const isDnat = target === "DNAT";
  const [newAddress, newPort] = isDnat
    ? [text(fields, "dest_ip"), text(fields, "dest_port")]
    : [text(fields, "src_dip"), text(fields, "src_dport")];
  const name = text(fields, "proto") || "all";
  if (name === "tcpudp" && world.natTcpudp === "missing") throw missing;
  if (target !== "MASQUERADE") {
    if (newAddress.includes("/")) throw missing;
    if (newAddress !== "") isInNetwork(newAddress, 0, world, "iptables");
    if (newPort !== "") number(newPort, world);
    if (newPort !== "" && !["tcp", "udp", "tcpudp"].includes(name)) throw missing;
  }
  if (isDnat && newAddress + newPort === "") throw missing;
  const [to, port] = isDnat ? ["src_dip", "src_dport"] : ["dest_ip", "dest_port"];
  const alias = text(fields, isDnat ? "src" : "dest");
  if (alias === "#source" && isDnat) throw missing;
  const lost = world.lostSource === "any" ? undefined : world.lostSource;
  const on = alias === "#source" && target === "MASQUERADE" ? lost : interfaceOf(alias);
  const matches = [
    packet.family === 4,
    on === undefined || on === (isDnat ? packet.incoming : packet.outgoing),
    matchesPlainly(fields, packet, world, "iptables", ["src_ip", to ?? ""]),
    matchesProtocol(fields, packet, world, ["src_port", port ?? ""], { fallback: "all", ports: "strict" }),
  ];
  return matches.every(Boolean);
};

const evaluateMwan3Rule: Evaluate = (fields, packet, world) => {
  if (text(fields, "policy") !== "p") return false; // an empty chain: the packet passes on to the next rule
  return [
    isFamily(fields, packet),
    matchesPlainly(fields, packet, world, "iptables", ["src_ip", "dest_ip"]),
    matchesProtocol(fields, packet, world, ["src_port", "dest_port"], { fallback: "all", ports: "ignored" }),
  ].every(Boolean);
};

interface Subject {
  readonly kind: CnfKind;
  readonly evaluate: Evaluate;
  /** Fields and the values from which they are drawn. */
  readonly values: Readonly<Record<string, readonly (string | readonly string[])[]>>;
}

const addresses = ["", "", "", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "10.1.2.77/24", "10.1.2.3", "10.1.2.3/32"];
const networks = [
  ...addresses,
  "192.168.0.0/16",
  "192.168.7.0/24",
  "128.0.0.0/1",
  "0.0.0.0/0",
  "010.1.2.3",
  "10.1.0.0/016",
];
const ports = ["", "", "", "80", "80", "443", "8080", "65535", "080", "0100"];
const macs = ["", "", "", "", "AA:bb:00:00:00:01", "aa:bb:00:00:00:01", "aa:bb:00:00:00:02"];
const marks = [
  "",
  "",
  "",
  "",
  "",
  "1",
  "0x1",
  "!1",
  "0x10/0xf0",
  "!0x10/0xf0",
  "0x11/0xff",
  "!0x11/0xff",
  "0x0/0x0",
  "0x1ff/0xff",
  "010",
  "9999999999",
  "4294967295",
  "!0x100/0x100",
  "0x3/0x3",
];
const protocols = ["", "tcp", "tcp", "udp", "tcpudp", "icmp", "icmp", "esp", "ah", "sctp", "udplite", "all"];
const icmpTypes = [
  [],
  [],
  ["any"],
  ["ping"],
  ["echo-request"],
  ["destination-unreachable"],
  ["port-unreachable", "host-unreachable"],
  ["host-unreachable"],
  ["redirect", "ping"],
  ["host-redirect"],
  ["ttl-exceeded"],
  ["time-exceeded", "pong"],
  ["ttl-zero-during-transit"],
];
const usual = { src_ip: networks, src_port: ports, proto: protocols, dest_ip: networks, dest_port: ports };
const redirects = {
  ...usual,
  src_dip: networks,
  src_dport: ports,
  src_mac: macs,
  mark: marks,
  family: ["", "any", "ipv4", "ipv6"],
  src: ["lan", "lan", "wan", "six"],
  dest: ["lan", "wan", "wan", "six", "hand"],
};
const interfaces = ["net1", "net1", "net2", "#default", "eth0"];

const kindOf = (kind: object): CnfKind => {
  const found = (ruleKinds as readonly CnfKind[]).find((each) => each.kind === kind);
  if (!found) throw new Error("no rule kind");
  return found;
};

const subjects: readonly Subject[] = [
  {
    kind: kindOf(FirewallRule),
    evaluate: evaluateFirewallRule,
    values: {
      ...usual,
      src: ["", "lan", "lan", "lan", "wan"],
      dest: ["", "wan", "wan", "odd", "six", "hand"],
      src_mac: macs,
      mark: marks,
      icmp_type: icmpTypes,
      target: ["ACCEPT", "DROP", "REJECT", "", "MARK", "NOTRACK"],
      family: ["", "any", "any", "ipv4", "ipv6"],
      extra: ["", "", "", "", "", "", "-m limit --limit 1/s", "-m addrtype --dst-type LOCAL"],
    },
  },
  { kind: kindOf(FirewallDNAT), evaluate: evaluateRedirect("DNAT"), values: redirects },
  { kind: kindOf(FirewallSNAT), evaluate: evaluateRedirect("SNAT"), values: redirects },
  {
    kind: kindOf(NetworkFirewallRule),
    evaluate: evaluateNetworkFirewallRule,
    values: {
      ...usual,
      src: interfaces,
      dest: ["", ...interfaces],
      src_mac: macs,
      mark: marks,
      icmp_type: icmpTypes,
      target: ["ACCEPT", "DROP", "REJECT", "MARK", "NOTRACK"],
      family: ["", "ipv6"],
      extra: ["", "-m limit"],
    },
  },
  {
    kind: kindOf(CNFNAT),
    evaluate: evaluateNat,
    values: {
      ...usual,
      src_dip: networks,
      src_dport: ports,
      src: ["", "", ...interfaces, "#source"],
      dest: ["net1", "net2", "#default", "#source"],
      target: ["DNAT", "DNAT", "SNAT", "MASQUERADE", ""],
    },
  },
  {
    kind: kindOf(Mwan3Rule),
    evaluate: evaluateMwan3Rule,
    values: {
      ...usual,
      proto: ["", "all", "tcp", "tcp", "udp", "icmp"],
      policy: ["p", "p", "p", "net1"],
      family: ["", "all", "ipv4", "ipv6"],
      sticky: ["0", "1"],
    },
  },
];

const addressesOfPackets = [
  "10.1.2.3",
  "10.1.2.77",
  "10.1.9.9",
  "10.200.0.1",
  "192.168.7.5",
  "192.168.9.1",
  "8.1.2.3",
  "0.0.0.0",
  "200.0.0.1",
];
const addressOf = (random: Random): number =>
  oneOf(random, addressesOfPackets)
    .split(".")
    .reduce((sum, octet) => sum * 256 + Number(octet), 0);

const packetFrom = (random: Random, id: number): Packet => ({
  id,
  family: oneOf(random, [4, 4, 4, 6]),
  protocol: oneOf(random, [6, 6, 6, 17, 1, 58, 50, 51, 132, 136, 47]),
  source: addressOf(random),
  destination: addressOf(random),
  sourcePort: oneOf(random, [80, 443, 8080, 64, 1]),
  destinationPort: oneOf(random, [80, 80, 443, 8080, 65535, 64, 1]),
  icmpType: oneOf(random, [0, 1, 3, 5, 8, 11, 128, 129, 137]),
  icmpCode: oneOf(random, [0, 1, 3, 4]),
  mac: oneOf(random, ["aa:bb:00:00:00:01", "aa:bb:00:00:00:02", "aa:bb:00:00:00:03"]),
  mark: oneOf(random, [0, 1, 8, 0x10, 0x11, 0x101, 0xff, 0xffff_ffff]),
  incoming: oneOf(random, [undefined, "net1", "net1", "net2", "eth0"]),
  outgoing: oneOf(random, [undefined, undefined, "net1", "net2", "eth0"]),
  zoneIn: oneOf(random, [undefined, "lan", "lan", "lan", "wan", "six"]),
  zoneOut: oneOf(random, [undefined, undefined, "wan", "wan", "lan", "odd", "six", "hand"]),
});

/** Changes a packet so that a rule is more likely to match it. */
function aimedAt(fields: Fields, packet: Packet): Packet {
  const port = (name: string): number | undefined => Number(text(fields, name)) || undefined;
  const isZone = zones[text(fields, "src")] !== undefined || zones[text(fields, "dest")] !== undefined;
  const [src, dest] = [text(fields, "src") || undefined, text(fields, "dest") || undefined];
  const place = isZone
    ? { zoneIn: src, zoneOut: dest }
    : { incoming: interfaceOf(src ?? ""), outgoing: interfaceOf(dest ?? "") };
  return {
    ...packet,
    ...place,
    protocol: numbers[text(fields, "proto")] ?? 6,
    sourcePort: port("src_port") ?? packet.sourcePort,
    destinationPort:
      port(fields.target === "DNAT" || "src_dip" in fields ? "src_dport" : "dest_port") ?? packet.destinationPort,
    mark: text(fields, "mark") === "" ? packet.mark : 0x11,
  };
}

const newRule = (random: Random, { values }: Subject): Fields =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, all]) => {
      // Rules with few fields are more likely to shadow others.
      const isKept = random() > 0.6 || ["src", "dest", "target", "policy"].includes(name);
      const value = isKept ? oneOf(random, all) : "";
      return value === "" ? [] : [[name, value]];
    }),
  );

/** Returns a rule that differs from an earlier one in up to two fields, because unrelated rules rarely shadow each other. */
function similarRule(random: Random, { values }: Subject, rule: Fields): Fields {
  const changed: Record<string, string | readonly string[]> = { ...rule };
  for (let count = Math.floor(random() * 3); count > 0; count--) {
    const [name, all] = oneOf(random, Object.entries(values));
    changed[name] = oneOf(random, all);
  }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== ""));
}

function rulesFrom(random: Random, subject: Subject): readonly Fields[] {
  const rules: Fields[] = [];
  while (rules.length < rulesPerSet) {
    const isSimilar = rules.length > 0 && random() < 0.75;
    rules.push(isSimilar ? similarRule(random, subject, oneOf(random, rules)) : newRule(random, subject));
  }
  return rules;
}

function matches({ evaluate }: Subject, fields: Fields, packet: Packet, world: World): boolean {
  try {
    return evaluate(fields, packet, world);
  } catch (error) {
    if (error instanceof Missing) return false;
    throw error;
  }
}

const metadata = (name: string) => ({ name, namespace: "default", labels: { sdewanPurpose: "edge" } });
const status = { state: "In Sync" };

function clusterWith({ kind }: Subject, rules: readonly Fields[]) {
  const cluster = new FakeCluster();
  for (const [name, zone] of Object.entries(zones))
    cluster.put(FirewallZone, { metadata: metadata(name), spec: { network: ["n"], ...zone }, status });
  cluster.put(Mwan3Policy, { metadata: metadata("p"), spec: { members: [] }, status });
  const objects = rules.map((spec, index) =>
    cluster.put(kind.kind, {
      metadata: { ...metadata(`rule-${String(index).padStart(3, "0")}`) },
      spec,
      status,
    } as never),
  );
  const place = { namespace: "default", purpose: "edge" };
  const shadows = (index: number): Promise<readonly number[]> => {
    const object = objects[index];
    if (!object) throw new Error("no rule");
    return shadowsOver({ reader: cluster.client }, { kind, object }, place).then((found) =>
      found.map((each) => objects.findIndex(({ metadata: { uid } }) => uid === each.object.metadata.uid)),
    );
  };
  return { shadows };
}

const rulesPerSet = 14;
const flowsPerSet = 200;

it.each(subjects.map((subject) => [subject.kind.kind.kind, subject] as const))(
  "never claims of a %s that decides a packet that it is shadowed",
  async (_kind, subject) => {
    let [claims, flows, taken] = [0, 0, 0];
    for (let seed = 1; flows < 20_000; seed++) {
      const random = randomFrom(seed * 7_919);
      const world = worldFrom(random);
      const rules = rulesFrom(random, subject);
      const { shadows } = clusterWith(subject, rules);
      const shadowed = new Map<number, readonly number[]>();
      for (const index of rules.keys()) {
        const found = await shadows(index);
        if (found.length > 0) shadowed.set(index, found);
      }
      claims += shadowed.size;
      for (let id = 0; id < flowsPerSet; id++, flows++) {
        const packet = random() < 0.5 ? packetFrom(random, id) : aimedAt(oneOf(random, rules), packetFrom(random, id));
        const decider = rules.findIndex((fields) => matches(subject, fields, packet, world));
        if (decider >= 0 && shadowed.has(decider))
          expect.fail(
            JSON.stringify(
              { seed, world, packet, rule: rules[decider], by: shadowed.get(decider)?.map((i) => rules[i]) },
              undefined,
              1,
            ),
          );
        taken += [...shadowed.keys()].filter(
          (i) => i > decider && matches(subject, rules[i] ?? {}, packet, world),
        ).length;
      }
    }
    // The test would be worthless if nothing was claimed, or if no packet came near a claim.
    expect(claims).toBeGreaterThan(50);
    expect(taken).toBeGreaterThan(100);
  },
);

/** For each field that restricts packets, chains of values, each of which restricts packets more than the one before. */
const narrowing: Readonly<Record<string, readonly (readonly (string | readonly string[])[])[]>> = {
  src_ip: [
    ["", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.77/24", "10.1.2.3"],
    ["", "128.0.0.0/1", "192.168.7.0/24"],
  ],
  dest_ip: [["", "10.0.0.0/8", "10.1.2.0/24", "10.1.2.3/32", "10.1.2.3"]],
  src_port: [["", "80"]],
  dest_port: [["", "443"]],
  src_mac: [["", "AA:bb:00:00:00:01", "aa:BB:00:00:00:01"]],
  mark: [
    ["", "0x10/0x10", "0x10/0xf0", "0x11/0xff", "17"],
    ["", "!0x11/0xff", "!0x10/0xf0", "0x21/0xff"],
  ],
  icmp_type: [
    [[], ["destination-unreachable", "ping"], ["port-unreachable", "echo-request"], ["echo-request"]],
    [[], ["any"], ["time-exceeded"], ["ttl-zero-during-transit"]],
  ],
};
/** Protocols, each with narrower ones, and with the protocols that may have ports. */
const narrowerProtocols = {
  all: ["all", "tcp", "udp", "icmp", "esp"],
  tcpudp: ["tcpudp", "tcp", "udp"],
  tcp: ["tcp"],
  udp: ["udp"],
  icmp: ["icmp"],
};
const fieldsOf: Readonly<
  Record<string, { names: readonly string[]; fixed: Fields; ports: readonly [string, string] }>
> = {
  FirewallRule: {
    names: ["src_ip", "dest_ip", "src_mac", "mark", "icmp_type"],
    fixed: { src: "lan", dest: "wan", family: "ipv4" },
    ports: ["src_port", "dest_port"],
  },
  FirewallDNAT: {
    names: ["src_ip", "src_dip", "src_mac", "mark"],
    fixed: { src: "lan", dest_ip: "10.9.9.9" },
    ports: ["src_port", "src_dport"],
  },
  FirewallSNAT: {
    names: ["src_ip", "dest_ip", "mark"],
    fixed: { dest: "wan", src_dip: "10.9.9.9" },
    ports: ["src_port", "dest_port"],
  },
  NetworkFirewallRule: {
    names: ["src_ip", "dest_ip", "src_mac", "icmp_type"],
    fixed: { src: "net1", target: "DROP" },
    ports: ["src_port", "dest_port"],
  },
  CNFNAT: {
    names: ["src_ip", "src_dip"],
    fixed: { target: "DNAT", dest_ip: "10.9.9.9" },
    ports: ["src_port", "src_dport"],
  },
  Mwan3Rule: { names: ["src_ip", "dest_ip"], fixed: { policy: "p" }, ports: ["src_port", "dest_port"] },
};

/** Returns a rule, and one that matches some of its packets, or all of them. */
function nested(random: Random, kind: string): readonly [outer: Fields, inner: Fields] {
  const { names, fixed, ports: portNames } = fieldsOf[kind] ?? { names: [], fixed: {}, ports: ["", ""] };
  const fields = [{ ...fixed }, { ...fixed }] as [
    Record<string, string | readonly string[]>,
    Record<string, string | readonly string[]>,
  ];
  const outer = oneOf(
    random,
    Object.entries(narrowerProtocols)
      .filter(([name]) => kind !== "Mwan3Rule" || name !== "tcpudp")
      .filter(([name]) => kind !== "CNFNAT" || name !== "tcpudp"),
  );
  const inner = oneOf(random, outer[1]);
  const protocol: readonly [string, string] = [outer[0], kind === "Mwan3Rule" && inner === "esp" ? "udp" : inner];
  const isPlain = (kind === "FirewallRule" || kind === "NetworkFirewallRule") && protocol.includes("icmp");
  const draw = (name: string, chain: readonly (string | readonly string[])[]): void => {
    const first = Math.floor(random() * chain.length);
    const second = first + Math.floor(random() * (chain.length - first));
    for (const [index, at] of [first, second].entries()) {
      const value = chain[at] ?? "";
      if (value !== "" && fields[index]) fields[index][name] = value;
    }
  };
  for (const name of names) {
    const chains = narrowing[name === "src_dip" ? "dest_ip" : name] ?? [];
    if (name !== "icmp_type" || isPlain) draw(name, oneOf(random, chains));
  }
  if (kind === "NetworkFirewallRule")
    for (const [index, each] of protocol.entries())
      if (each === "icmp" && !fields[index]?.icmp_type?.length && fields[index]) fields[index].icmp_type = ["any"];
  for (const [index, name] of portNames.entries()) {
    const [chain = []] = narrowing[index === 0 ? "src_port" : "dest_port"] ?? [];
    if (["tcp", "udp", "tcpudp"].includes(protocol[0])) draw(name, chain);
    else if (["tcp", "udp"].includes(protocol[1]) && random() < 0.5) fields[1][name] = String(chain.at(-1));
  }
  for (const [index, each] of protocol.entries()) if (fields[index]) fields[index].proto = each;
  return fields;
}

it.each(subjects.map((subject) => [subject.kind.kind.kind, subject] as const))(
  "finds every %s that is contained in an earlier rule",
  async (kind, subject) => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomFrom(seed * 104_729);
      const [outer, inner] = nested(random, kind);
      const { shadows } = clusterWith(subject, [outer, newRule(random, subject), newRule(random, subject), inner]);
      expect(await shadows(3), JSON.stringify({ seed, outer, inner })).not.toEqual([]);
    }
  },
);
