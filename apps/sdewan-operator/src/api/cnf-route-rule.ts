import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { firewallMark, ipv4OrCidr, positiveInteger, routingTable } from "./values.ts";

export const CNFRouteRule = defineKind({
  ...ruleKind,
  kind: "CNFRouteRule",
  description: "Says which traffic a routing table of the CNF is for.",
  spec: Type.Partial(
    Type.Object({
      src: ipv4OrCidr,
      dst: ipv4OrCidr,
      not: Type.Boolean({ description: "The rule is for all other traffic." }),
      prio: positiveInteger,
      fwmark: firewallMark,
      table: routingTable,
    }),
  ),
});
export type CNFRouteRule = ObjectOf<typeof CNFRouteRule>;
