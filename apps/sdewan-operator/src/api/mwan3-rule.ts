import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { orderedRuleKind } from "./rule-kind.ts";
import { described, ipv4OrCidr, oneOf, port, positiveInteger, referredName, zeroOrOne } from "./values.ts";

/** Assigns traffic to an Mwan3Policy. The operator creates one object in the `mwan3/v1/rules` collection. */
export const Mwan3Rule = defineKind({
  ...orderedRuleKind,
  kind: "Mwan3Rule",
  description: "Assigns traffic to a Mwan3Policy.",
  spec: Type.Object({
    dest_ip: described(ipv4OrCidr, "The destination: an IPv4 address or network."),
    dest_port: described(port, "The destination port."),
    family: described(oneOf("ipv4", "ipv6", "all"), "The IP versions that the rule applies to."),
    policy: described(referredName, "The name of an Mwan3Policy of the same CNF."),
    proto: described(oneOf("tcp", "udp", "icmp", "all"), "The protocol."),
    src_ip: described(ipv4OrCidr, "The source: an IPv4 address or network."),
    src_port: described(port, "The source port."),
    sticky: described(zeroOrOne, "1: all connections from one source use the same network."),
    timeout: described(positiveInteger, "Duration of stickiness, in seconds."),
  }),
});
export type Mwan3Rule = ObjectOf<typeof Mwan3Rule>;
