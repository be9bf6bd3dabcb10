import type { Field, FieldRecord } from "../field-table.ts";
import { icmpType, icmpTypeOfFirewallRule } from "../icmp-types.ts";
import { Refusal } from "../response.ts";
import { addressFamily, iptablesMark, ipv4OrCidr, mac, oneOf, port, protocol } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { existingZone } from "./firewall-zones.ts";

const ruleTarget = oneOf("ACCEPT", "REJECT", "DROP", "MARK", "NOTRACK");

/** Rules between zones, in the firewall configuration. */
export const firewallRules: ResourceDefinition = {
  module: "firewall",
  collection: "rules",
  type: "rule",
  config: "firewall",
  sectionType: "rule",
  named: false,
  fields: [
    { name: "name", mandatory: true },
    { name: "src", check: existingZone, text: "invalid src", fixedCode: 428 },
    { name: "src_ip", check: ipv4OrCidr, text: "invalid src_ip" },
    { name: "src_mac", check: mac, text: "invalid src_mac" },
    { name: "src_port", check: port, text: "invalid src_port" },
    { name: "proto", check: protocol, text: "invalid proto" },
    { name: "icmp_type", list: true, check: icmpTypeOfFirewallRule, text: "invalid icmp_type" },
    { name: "dest", check: existingZone, text: "invalid dest", fixedCode: 428 },
    { name: "dest_ip", check: ipv4OrCidr, text: "invalid dest_ip" },
    { name: "dest_port", check: port, text: "invalid dest_port" },
    { name: "mark" },
    { name: "target", check: ruleTarget, text: "invalid target" },
    { name: "set_mark" },
    { name: "set_xmark" },
    { name: "family", check: addressFamily, text: "invalid family" },
    { name: "extra" },
  ],
  check: refuseMarkWithoutMark,
};

/** Fields of rules that apply to interfaces instead of zones; these contain interface names and iptables marks. */
export const networkRuleFields: readonly Field[] = firewallRules.fields.flatMap((field): Field[] => {
  if (field.name === "src") return [{ name: "src", mandatory: true }, { name: "src_val" }];
  if (field.name === "dest") return [{ name: "dest" }, { name: "dest_val" }];
  if (field.name === "target") return [{ ...field, mandatory: true }];
  if (field.name === "icmp_type") return [{ ...field, check: icmpType }];
  return field.name.includes("mark") ? [{ ...field, check: iptablesMark, text: `invalid ${field.name}` }] : [field];
});

export function refuseMarkWithoutMark(record: FieldRecord): void {
  if (record.target === "MARK" && record.set_mark === undefined && record.set_xmark === undefined) {
    throw new Refusal(400, "set_mark or set_xmark is required for MARK");
  }
}
