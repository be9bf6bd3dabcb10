import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { type Static, Type } from "typebox";
import { orderedRuleKind } from "../rule-kind.ts";
import { markNeedsMark } from "../rules.ts";
import {
  addressFamily,
  described,
  icmpType,
  iptablesArguments,
  ipv4OrCidr,
  mac,
  matchedMark,
  port,
  protocol,
  referredName,
  ruleInterface,
  ruleTarget,
  setMark,
} from "../values.ts";

/**
 * The fields that FirewallRule and NetworkFirewallRule share. In a FirewallRule, `src` and `dest` name zones; in a NetworkFirewallRule,
 * they name interfaces.
 */
const packetRuleSpec = (place: typeof referredName) =>
  Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the rule has the name of this object." }),
      src: place,
      src_ip: described(ipv4OrCidr, "The source: an IPv4 address or network."),
      src_mac: described(mac, "The source MAC address."),
      src_port: described(port, "The source port."),
      proto: described(protocol, "The protocol."),
      icmp_type: described(Type.Array(icmpType), "For the protocol icmp: the types that the rule applies to."),
      dest: place,
      dest_ip: described(ipv4OrCidr, "The destination: an IPv4 address or network."),
      dest_port: described(port, "The destination port."),
      mark: described(matchedMark, "The firewall mark of the traffic."),
      target: described(ruleTarget, "The action. MARK needs set_mark or set_xmark."),
      set_mark: described(setMark, "For MARK: the mark to set."),
      set_xmark: described(setMark, "For MARK: the mark to set, with a mask."),
      family: described(addressFamily, "The IP versions that the rule applies to."),
      extra: described(iptablesArguments, "Additional iptables arguments."),
    }),
  );

export type PacketRuleSpec = Static<ReturnType<typeof packetRuleSpec>>;

/** A rule for traffic between zones. The operator creates one object in the `firewall/v1/rules` collection. */
export const FirewallRule = defineKind({
  ...orderedRuleKind,
  kind: "FirewallRule",
  description: "A rule between zones of the CNF's firewall.",
  spec: packetRuleSpec(described(referredName, "The name of a FirewallZone of the same CNF.")),
  rules: { spec: [markNeedsMark] },
});
export type FirewallRule = ObjectOf<typeof FirewallRule>;

/**
 * A packet filter rule on a CNF interface. The operator creates one object in the `networkfirewall/v1/rules`
 * collection.
 */
export const NetworkFirewallRule = defineKind({
  ...orderedRuleKind,
  kind: "NetworkFirewallRule",
  description: "A packet filter rule on an interface of the CNF.",
  spec: packetRuleSpec(described(ruleInterface, "An interface of the CNF, #default, or # followed by an address.")),
  rules: { spec: [markNeedsMark] },
});
export type NetworkFirewallRule = ObjectOf<typeof NetworkFirewallRule>;
