import type { DeepReadonly } from "@kubewright/apimachinery";
import { FirewallRule, NetworkFirewallRule, type PacketRuleSpec } from "../api/firewall/firewall-rules.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { cnfReference } from "../uci/cnf-name.ts";
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

export const networkFirewallRule = cnfKind({
  kind: NetworkFirewallRule,
  config: "networkfirewall",
  collection: "rules",
  rank: 2,
  precedence: "first",
  toUci: ({ spec }) => packetRule(spec),
});
