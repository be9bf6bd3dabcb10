import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "./define-rule-kind.ts";
import { boolean, object } from "./schema.ts";
import { firewallMark, ipv4OrCidr, positiveInteger, routingTable } from "./values.ts";

export const CNFRouteRule = defineRuleKind({
  kind: "CNFRouteRule",
  plural: "cnfrouterules",
  description: "Says which traffic a routing table of the CNF is for.",
  spec: object(
    {},
    {
      src: ipv4OrCidr(),
      dst: ipv4OrCidr(),
      not: boolean({ description: "The rule is for all other traffic." }),
      prio: positiveInteger(),
      fwmark: firewallMark(),
      table: routingTable(),
    },
  ),
});
export type CNFRouteRule = ObjectOf<typeof CNFRouteRule>;
