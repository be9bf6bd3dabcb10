import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { ruleKind } from "../rule-kind.ts";
import { markNeedsMark } from "../rules.ts";
import { described, ruleInterface } from "../values.ts";
import { packetRuleSpec } from "./packet-rule.ts";

/** A packet filter rule on an interface of a CNF. It becomes one object of `networkfirewall/v1/rules`. */
export const NetworkFirewallRule = defineKind({
  ...ruleKind,
  kind: "NetworkFirewallRule",
  description: "A packet filter rule on an interface of the CNF.",
  spec: packetRuleSpec(described(ruleInterface, "An interface of the CNF, #default, or # followed by an address.")),
  rules: { spec: [markNeedsMark] },
});
export type NetworkFirewallRule = ObjectOf<typeof NetworkFirewallRule>;
