import type { DeepReadonly } from "@kubewright/apimachinery";
import { FirewallRule, NetworkFirewallRule, type PacketRuleSpec } from "../api/firewall/firewall-rules.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { kernelAddress } from "../uci/networks.ts";
import { listOrNull, texts, type UciObject } from "../uci/uci-object.ts";
import { firewallZone } from "./firewall-zone.ts";

const matches = ["src", "src_ip", "src_mac", "src_port", "proto", "dest", "dest_ip", "dest_port", "mark"];
const verdict = ["target", "set_mark", "set_xmark", "family", "extra"];

const packetRule = (spec: DeepReadonly<PacketRuleSpec> | undefined): UciObject => ({
  ...texts(spec ?? {}, [...matches, ...verdict]),
  icmp_type: listOrNull(spec?.icmp_type),
});

export const firewallRule = cnfKind({
  kind: FirewallRule,
  config: "firewall",
  collection: "rules",
  finalizer: "rule",
  rank: 1,
  precedence: "first",
  toUci: ({ spec }) => ({
    ...packetRule(spec),
    src: cnfReference(firewallZone, spec?.src),
    dest: cnfReference(firewallZone, spec?.dest),
  }),
});

/** Returns a string for each rule of iptables that the CNF creates. */
function iptablesRules(object: UciObject): readonly string[] {
  const {
    proto = "",
    src_ip = "",
    dest_ip = "",
    src_port,
    dest_port,
    src_mac = "",
    ...others
  } = texts(object, [...matches, "target", "set_mark", "set_xmark"]);
  const ports = proto.startsWith("tcp") || proto === "udp" ? [src_port, dest_port] : [];
  const types = Array.isArray(object.icmp_type) ? object.icmp_type : [];
  const protocols = proto === "tcpudp" ? ["tcp", "udp"] : proto === "icmp" ? types.map((type) => `icmp ${type}`) : [];
  const rest = [others, src_mac.toLowerCase(), kernelAddress(src_ip), kernelAddress(dest_ip), ports];
  const all = protocols.length > 0 ? protocols : [proto === "all" ? "" : proto];
  return all.map((protocol) => JSON.stringify([protocol, ...rest]));
}

export const networkFirewallRule = cnfKind({
  kind: NetworkFirewallRule,
  config: "networkfirewall",
  collection: "rules",
  rank: 2,
  joinsFirewall: true,
  precedence: "first",
  kernelRules: iptablesRules,
  toUci: ({ spec }) => packetRule(spec),
});
