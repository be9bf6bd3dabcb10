import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { orderedRuleKind } from "./rule-kind.ts";
import { described, firewallMark, ipv4OrCidr, positiveInteger, routingTable } from "./values.ts";

/**
 * Assigns traffic to one of a CNF's routing tables. The operator creates one object in the `rule/v1/rules` collection.
 */
export const CNFRouteRule = defineKind({
  ...orderedRuleKind,
  kind: "CNFRouteRule",
  description: "Assigns traffic to a routing table of the CNF.",
  spec: Type.Partial(
    Type.Object({
      src: described(ipv4OrCidr, "The source: an IPv4 address or network."),
      dst: described(ipv4OrCidr, "The destination: an IPv4 address or network."),
      not: Type.Boolean({ description: "If true, the rule applies to all other traffic." }),
      prio: described(positiveInteger, "Priority. Rules with lower numbers are applied first."),
      fwmark: described(firewallMark, "The firewall mark of the traffic."),
      table: described(routingTable, "The routing table to use: main, local, default or a number."),
    }),
  ),
});
export type CNFRouteRule = ObjectOf<typeof CNFRouteRule>;
