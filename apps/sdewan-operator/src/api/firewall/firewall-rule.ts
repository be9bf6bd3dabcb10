import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { packetRuleSpec } from "./packet-rule.ts";

export const FirewallRule = defineRuleKind({
  kind: "FirewallRule",
  plural: "firewallrules",
  description: "A rule between zones of the CNF's firewall.",
  spec: packetRuleSpec("The name of a FirewallZone of the same CNF."),
});
export type FirewallRule = ObjectOf<typeof FirewallRule>;
