import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { described, firewallMark, ipv4OrCidr, positiveInteger, routingTable } from "./values.ts";

/** Which traffic a routing table of a CNF is for: one object of `rule/v1/rules`. */
export const CNFRouteRule = defineKind({
  ...ruleKind,
  kind: "CNFRouteRule",
  description: "Says which traffic a routing table of the CNF is for.",
  spec: Type.Partial(
    Type.Object({
      src: described(ipv4OrCidr, "The source, an IPv4 address or network."),
      dst: described(ipv4OrCidr, "The destination, an IPv4 address or network."),
      not: Type.Boolean({ description: "The rule is for all other traffic." }),
      prio: described(positiveInteger, "Rules of lower numbers go first."),
      fwmark: described(firewallMark, "The firewall mark that traffic has."),
      table: described(routingTable, "The routing table that it is for: main, local, default or a number."),
    }),
  ),
});
export type CNFRouteRule = ObjectOf<typeof CNFRouteRule>;
