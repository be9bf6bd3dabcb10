import type { DeepReadonly } from "@kubewright/apimachinery";
import type { PacketRuleSpec } from "../api/firewall/packet-rule.ts";
import { listOrNull, texts, type UciObject } from "../uci/uci-object.ts";

const matches = ["src", "src_ip", "src_mac", "src_port", "proto", "dest", "dest_ip", "dest_port", "mark"];
const verdict = ["target", "set_mark", "set_xmark", "family", "extra"];

export const packetRule = (spec: DeepReadonly<PacketRuleSpec> | undefined): UciObject => ({
  ...texts(spec ?? {}, [...matches, ...verdict]),
  icmp_type: listOrNull(spec?.icmp_type),
});
