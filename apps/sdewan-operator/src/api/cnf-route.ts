import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { orderedRuleKind } from "./rule-kind.ts";
import { described, destination, ipv4, ruleInterface } from "./values.ts";

/** A route on a CNF. The operator creates one object in the `route/v1/routes` collection. */
export const CNFRoute = defineKind({
  ...orderedRuleKind,
  kind: "CNFRoute",
  description: "A route of the CNF.",
  spec: Type.Partial(
    Type.Object({
      dst: described(destination, "The destination: the word default, or an IPv4 address or network."),
      gw: described(ipv4, "The gateway."),
      dev: described(ruleInterface, "An interface of the CNF, #default, or # followed by an address."),
      table: described(
        Type.Enum(["default", "cnf"]),
        "The routing table of the route: default is the main table, cnf the table of the CNF.",
      ),
    }),
  ),
});
export type CNFRoute = ObjectOf<typeof CNFRoute>;
