import type { DeepReadonly, DefinedKind } from "@kubewright/apimachinery";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { FirewallDNAT, FirewallSNAT } from "../api/firewall/firewall-nat.ts";
import { FirewallRule, NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { translationFields } from "../api/translation.ts";
import { placeInTable } from "../kinds/cnf-route.ts";
import { firewallZone } from "../kinds/firewall-zone.ts";
import { mwan3Policy } from "../kinds/mwan3-policy.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { type FieldValue, type Network, networkIn, portIn } from "../uci/networks.ts";
import { texts } from "../uci/uci-object.ts";
import { icmpIn, icmpv6In, macIn, markIn } from "./field-values.ts";
import type { PacketSet } from "./packet-set.ts";

/** Another object that must exist on the CNF for a rule to apply to any packets. */
export interface Need {
  readonly type: "zone" | "policy";
  /** Name of the object on the CNF. */
  readonly name: string;
  /** Restriction of a zone: `plain` zones have no additional arguments, `ipv4` zones apply to IPv4. */
  readonly trait?: "plain" | "ipv4";
}

/** The packets that a rule matches, as far as they are determined by its fields. */
export interface RulePackets {
  /**
   * Name of the list that contains the rule. The first matching rule in a list decides a packet. Rules in different
   * lists do not affect each other.
   */
  readonly chain: string;
  /** A superset of the packets that the rule matches. Empty if the rule's fields contradict each other. */
  readonly possible: readonly PacketSet[];
  /** Packets that the rule is certain to match and to decide, so that they never reach later rules of the chain. */
  readonly certain: readonly PacketSet[];
  /** Objects that must exist. Otherwise, the rule may not decide the packets in `certain`. */
  readonly needs: readonly Need[];
}

type Spec = DeepReadonly<Record<string, unknown>>;

const tcp = 6;
const udp = 17;
const icmp = 1;
const icmpv6 = 58;
const protocols: ReadonlyMap<string, readonly (number | undefined)[]> = new Map([
  ["tcp", [tcp]],
  ["udp", [udp]],
  ["tcpudp", [tcp, udp]],
  ["icmp", [icmp]],
  ["esp", [50]],
  ["ah", [51]],
  ["sctp", [132]],
  ["udplite", [136]],
  ["all", [undefined]],
]);
/** Maximum number of different ICMP types of a rule that are compared. There are fewer valid names. */
const maxIcmpTypes = 64;

const hasPorts = (protocol: number | undefined): boolean => protocol === tcp || protocol === udp;

/** Reads the fields of a rule, and records whether the meaning of all of them is clear. */
class Fields {
  readonly #texts: Readonly<Record<string, string>>;
  isClear = true;

  constructor(spec: Spec, names: readonly string[]) {
    this.#texts = texts(spec, names);
  }

  text(name: string): string {
    return this.#texts[name] ?? "";
  }

  /** Returns the restriction that a field imposes on packets. A field with an unclear meaning does not impose a restriction. */
  read<T>(parse: (text: string) => FieldValue<T>, name: string): T | undefined {
    return this.clear(parse(this.text(name)));
  }

  clear<T>(value: FieldValue<T>): T | undefined {
    this.require(value !== "unclear");
    return value === "unclear" ? undefined : value;
  }

  require(condition: boolean): void {
    if (!condition) this.isClear = false;
  }

  protocols(fallback: string): readonly (number | undefined)[] {
    const found = protocols.get(this.text("proto") || fallback);
    this.require(found !== undefined);
    return found ?? [undefined];
  }

  /** Returns the names of the ICMP types to which a rule is restricted. An empty list means all types. */
  icmpTypes({ icmp_type: types }: Spec): readonly string[] {
    const names = new Set(Array.isArray(types) ? types.map(String) : []);
    this.require(names.size <= maxIcmpTypes);
    return names.size <= maxIcmpTypes ? [...names] : [];
  }

  /** Returns the packets that a rule matches. If the meaning of a field is unclear, no packet is certain to match. */
  packets(chain: string, possible: readonly PacketSet[], needs: readonly Need[] = []): RulePackets {
    return { chain, possible, certain: this.isClear ? possible : [], needs };
  }
}

/** Parses a network. A network with 0 bits is unclear: the firewall treats it as all addresses or as a single one. */
const firewallNetworkIn = (text: string): FieldValue<Network> => {
  const network = networkIn(text);
  return typeof network === "object" && network.bits === 0 ? "unclear" : network;
};

const iptablesNetworkIn = (text: string): FieldValue<Network> => {
  const network = networkIn(text);
  return typeof network === "object" && network.bits === 0 ? undefined : network;
};

/** Returns the IP versions that a rule applies to. Its addresses are IPv4 addresses. */
function families(family: string, hasAddress: boolean): readonly (4 | 6)[] {
  const all: readonly (4 | 6)[] = family === "ipv4" ? [4] : family === "ipv6" ? [6] : [4, 6];
  return hasAddress ? all.filter((each) => each === 4) : all;
}

interface Ports {
  readonly sourcePort: number | undefined;
  readonly destinationPort: number | undefined;
}

interface Shape {
  readonly families: readonly (4 | 6)[];
  readonly protocols: readonly (number | undefined)[];
  /** Names of ICMP types. An empty list means all types. */
  readonly icmpTypes?: readonly string[];
  readonly ports: Ports;
  readonly rest: Omit<PacketSet, "family">;
}

/** Returns one set for each combination of IP version, protocol and ICMP type. Only TCP and UDP have ports. */
function combined(fields: Fields, { families: versions, protocols: numbers, icmpTypes = [], ports, rest }: Shape) {
  return versions.flatMap((family) =>
    numbers.flatMap((protocol): PacketSet[] => {
      if (hasPorts(protocol)) return [{ ...rest, family, protocol, ...ports }];
      if (protocol !== icmp) return [{ ...rest, family, protocol }];
      const base = { ...rest, family, protocol: family === 6 ? icmpv6 : icmp };
      if (icmpTypes.length === 0) return [base];
      return icmpTypes.map((name) => ({ ...base, icmp: family === 6 ? icmpv6In(name) : fields.clear(icmpIn(name)) }));
    }),
  );
}

const packetFields = ["src_ip", "src_mac", "src_port", "proto", "dest_ip", "dest_port", "mark", "target", "family"];
const verdicts = new Set(["ACCEPT", "REJECT", "DROP"]);

const zoneOf = (spec: Spec, field: "src" | "dest"): string => cnfReference(firewallZone, String(spec[field] ?? ""));

/** @see firewall3 rules.c, of OpenWrt 21.02 */
function ofFirewallRule(spec: Spec): RulePackets {
  const fields = new Fields(spec, [...packetFields, "extra"]);
  const [src, dest] = [zoneOf(spec, "src"), zoneOf(spec, "dest")];
  const numbers = fields.protocols("tcpudp");
  const ports = { sourcePort: fields.read(portIn, "src_port"), destinationPort: fields.read(portIn, "dest_port") };
  // Versions of the firewall differ in what they do with ports of other protocols, except ICMP.
  const usesPorts = fields.text("src_port") !== "" || fields.text("dest_port") !== "";
  fields.require(!usesPorts || numbers.every((protocol) => hasPorts(protocol) || protocol === icmp));
  fields.require(fields.text("extra") === "");
  const hasAddress = fields.text("src_ip") !== "" || fields.text("dest_ip") !== "";
  const rest = {
    source: fields.read(firewallNetworkIn, "src_ip"),
    destination: fields.read(firewallNetworkIn, "dest_ip"),
    mac: fields.read(macIn, "src_mac"),
    mark: fields.read(markIn, "mark"),
  };
  const possible = combined(fields, {
    families: families(fields.text("family"), hasAddress),
    protocols: numbers,
    icmpTypes: fields.icmpTypes(spec),
    ports,
    rest,
  });
  // The zone's chain decides only packets for the zone that match the zone's additional arguments. It returns all others.
  return fields.packets(
    `rules ${src} ${dest}`,
    possible,
    dest === "" ? [] : [{ type: "zone", name: dest, trait: "plain" }],
  );
}

/** @see firewall3 redirects.c, of OpenWrt 21.02 */
function ofRedirect(spec: Spec, target: "SNAT" | "DNAT"): RulePackets {
  const fields = new Fields(spec, [...translationFields, "src_mac", "mark", "family"]);
  const [src, dest] = [zoneOf(spec, "src"), zoneOf(spec, "dest")];
  const isDnat = target === "DNAT";
  const [destination, port] = isDnat ? ["src_dip", "src_dport"] : ["dest_ip", "dest_port"];
  const [newAddress, newPort] = isDnat ? ["dest_ip", "dest_port"] : ["src_dip", "src_dport"];
  const numbers = fields.protocols("tcpudp");
  const ports = { sourcePort: fields.read(portIn, "src_port"), destinationPort: fields.read(portIn, port) };
  const usesPorts = ["src_port", "src_dport", "dest_port"].some((name) => fields.text(name) !== "");
  fields.require(!usesPorts || numbers.every(hasPorts));
  fields.read(firewallNetworkIn, newAddress);
  fields.read(portIn, newPort);
  const rest = {
    source: fields.read(firewallNetworkIn, "src_ip"),
    destination: fields.read(firewallNetworkIn, destination),
    mac: fields.read(macIn, "src_mac"),
    mark: fields.read(markIn, "mark"),
  };
  const family = fields.text("family");
  const possible = combined(fields, {
    families: families(family, true), // the firewall translates IPv4 only
    protocols: numbers,
    ports,
    rest,
  });
  // The firewall skips a translation for IPv4 between zones for IPv6.
  const zones = family === "ipv4" ? [src, dest].filter(Boolean) : [];
  const needs = zones.map((name): Need => ({ type: "zone", name, trait: "ipv4" }));
  return fields.packets(`${target} ${isDnat ? src : dest}`, possible, needs);
}

/** @see icn-sdwan platform/cnf-openwrt/src/rest_v1/fw_rest.lua rule_commands */
function ofNetworkFirewallRule(spec: Spec): RulePackets {
  const fields = new Fields(spec, [...packetFields, "src", "dest"]);
  const [incoming, outgoing] = [fields.text("src"), fields.text("dest")];
  const numbers = fields.protocols("all");
  const icmpTypes = fields.icmpTypes(spec);
  fields.require(incoming !== "" && (!numbers.includes(icmp) || icmpTypes.length > 0)); // the CNF fails otherwise
  fields.require(!fields.text("mark").startsWith("!")); // iptables requires the negation in another place
  const ports = { sourcePort: fields.read(portIn, "src_port"), destinationPort: fields.read(portIn, "dest_port") };
  const rest = {
    source: fields.read(iptablesNetworkIn, "src_ip"),
    destination: fields.read(iptablesNetworkIn, "dest_ip"),
    mac: fields.read(macIn, "src_mac"),
    mark: fields.read(markIn, "mark"),
    incoming: incoming || undefined,
    outgoing: outgoing || undefined,
  };
  const possible = combined(fields, { families: [4], protocols: numbers, icmpTypes, ports, rest });
  return fields.packets(outgoing === "" ? "INPUT" : "FORWARD", possible);
}

/**
 * Returns the name of an interface, or the expression from which the CNF determines it. The same expression always
 * refers to the same interface.
 */
function interfaceIn(fields: Fields, name: string): string | undefined {
  const text = fields.text(name);
  if (text !== "#source") return text || undefined;
  const isFound = name === "dest" && fields.text("target") === "SNAT";
  fields.require(isFound);
  return isFound ? `#source ${fields.text("src_dip")}` : undefined;
}

/** @see icn-sdwan platform/cnf-openwrt/src/rest_v1/nat_rest.lua nat_command */
function ofCnfNat(spec: Spec): RulePackets | undefined {
  const fields = new Fields(spec, ["src", "dest", ...translationFields, "target", "index"]);
  const target = fields.text("target");
  if (target !== "DNAT" && target !== "SNAT" && target !== "MASQUERADE") return undefined;
  const isDnat = target === "DNAT";
  const numbers = fields.protocols("all");
  fields.require(fields.text("proto") !== "tcpudp"); // iptables does not accept this value
  const [destination, port] = isDnat ? ["src_dip", "src_dport"] : ["dest_ip", "dest_port"];
  const ports = { sourcePort: fields.read(portIn, "src_port"), destinationPort: fields.read(portIn, port) };
  const newPort = isDnat ? "dest_port" : "src_dport";
  const usesNewPort = target !== "MASQUERADE" && fields.text(newPort) !== "";
  const usesPorts = fields.text("src_port") !== "" || fields.text(port) !== "" || usesNewPort;
  fields.require(!usesPorts || numbers.every(hasPorts));
  if (usesNewPort) fields.read(portIn, newPort);
  const newAddress = isDnat ? "dest_ip" : "src_dip";
  if (target !== "MASQUERADE") fields.require(fields.read(networkIn, newAddress)?.bits !== 0);
  fields.require(target === "MASQUERADE" || !fields.text(newAddress).includes("/"));
  fields.require(!isDnat || fields.text("dest_ip") !== "" || fields.text("dest_port") !== "");
  const rest = {
    source: fields.read(iptablesNetworkIn, "src_ip"),
    destination: fields.read(iptablesNetworkIn, destination),
    ...(isDnat ? { incoming: interfaceIn(fields, "src") } : { outgoing: interfaceIn(fields, "dest") }),
  };
  const possible = combined(fields, { families: [4], protocols: numbers, ports, rest });
  const index = fields.text("index") || "0";
  fields.require(!/^0\d/.test(index));
  return fields.packets(`${isDnat ? "PREROUTING" : "POSTROUTING"} ${index}`, possible);
}

/** @see openwrt packages net/mwan3/files/lib/mwan3/mwan3.sh mwan3_set_user_iptables_rule */
function ofMwan3Rule(spec: Spec): RulePackets {
  const fields = new Fields(spec, ["src_ip", "src_port", "dest_ip", "dest_port", "proto", "family"]);
  const hasAddress = fields.text("src_ip") !== "" || fields.text("dest_ip") !== "";
  const numbers = fields.protocols("all");
  const ports = { sourcePort: fields.read(portIn, "src_port"), destinationPort: fields.read(portIn, "dest_port") };
  const rest = {
    source: fields.read(iptablesNetworkIn, "src_ip"),
    destination: fields.read(iptablesNetworkIn, "dest_ip"),
  };
  const versions = families(fields.text("family"), hasAddress);
  const possible = combined(fields, { families: versions, protocols: numbers, ports, rest });
  // If the policy does not exist, packets pass to the next rule.
  const policy = cnfReference(mwan3Policy, String(spec.policy ?? ""));
  return fields.packets("mwan3", possible, [{ type: "policy", name: policy }]);
}

/**
 * A table keeps one route to a destination, so that a second one has no effect. The CNF ignores that the kernel rejects a route whose gateway
 * it cannot reach, so only a route without a gateway is certain to exist.
 *
 * @see icn-sdwan platform/cnf-openwrt/src/rest_v1/route_rest.lua
 */
function ofRoute(spec: Spec): RulePackets {
  const fields = new Fields(spec, ["gw"]);
  fields.require(fields.text("gw") === "");
  return fields.packets(`route ${placeInTable(spec)}`, [{ family: 4 }]);
}

const packetsOfKinds: ReadonlyMap<DefinedKind, (spec: Spec) => RulePackets | undefined> = new Map<
  DefinedKind,
  (spec: Spec) => RulePackets | undefined
>([
  [FirewallRule, ofFirewallRule],
  [FirewallDNAT, (spec) => ofRedirect(spec, "DNAT")],
  [FirewallSNAT, (spec) => ofRedirect(spec, "SNAT")],
  [NetworkFirewallRule, ofNetworkFirewallRule],
  [CNFNAT, ofCnfNat],
  [Mwan3Rule, ofMwan3Rule],
  [CNFRoute, ofRoute],
]);

/** Default targets of the kinds with targets that do not end the search for a matching rule. */
const defaultTargets: ReadonlyMap<DefinedKind, string> = new Map<DefinedKind, string>([
  [FirewallRule, "REJECT"],
  [NetworkFirewallRule, ""],
]);

function endsSearch(kind: DefinedKind, spec: Spec): boolean {
  const fallback = defaultTargets.get(kind);
  return fallback === undefined || verdicts.has(String(spec.target ?? "").trim() || fallback);
}

/** Reports whether the CNF evaluates a kind's objects in order until one of them matches a packet. */
export const decidesPackets = (kind: DefinedKind): boolean => packetsOfKinds.has(kind);

/** Results for specs, which the cache never changes. */
const known = new WeakMap<object, RulePackets | undefined>();

/**
 * Returns the packets that a rule matches. Returns undefined if rules of this kind or with this target do not determine
 * what happens to packets, or do so only together with other rules.
 */
export function packetsOf(kind: DefinedKind, spec: object | undefined): RulePackets | undefined {
  const find = packetsOfKinds.get(kind);
  if (!find || !spec) return undefined;
  if (known.has(spec)) return known.get(spec);
  const packets = endsSearch(kind, { ...spec }) ? find({ ...spec }) : undefined;
  known.set(spec, packets);
  return packets;
}

/**
 * Returns the packets that a rule matches, regardless of its target. Returns undefined if its kind has no such rules,
 * or its target is unknown.
 *
 * @param spec a spec, or an object on a CNF (which has the same fields)
 */
export const matchedPackets = (kind: DefinedKind, spec: object): RulePackets | undefined =>
  packetsOfKinds.get(kind)?.({ ...spec });
