import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { packetRuleSpec } from "./packet-rule.ts";

export const NetworkFirewallRule = defineRuleKind({
  kind: "NetworkFirewallRule",
  plural: "networkfirewallrules",
  description: "A packet filter rule on an interface of the CNF.",
  spec: packetRuleSpec("An interface of the CNF, #default, or # and an address."),
});
export type NetworkFirewallRule = ObjectOf<typeof NetworkFirewallRule>;
