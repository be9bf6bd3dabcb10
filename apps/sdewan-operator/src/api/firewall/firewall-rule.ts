import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { ruleKind } from "../rule-kind.ts";
import { markNeedsMark } from "../rules.ts";
import { described, referredName } from "../values.ts";
import { packetRuleSpec } from "./packet-rule.ts";

/** A rule for traffic between zones. It becomes one object of `firewall/v1/rules`. */
export const FirewallRule = defineKind({
  ...ruleKind,
  kind: "FirewallRule",
  description: "A rule between zones of the CNF's firewall.",
  spec: packetRuleSpec(described(referredName, "The name of a FirewallZone of the same CNF.")),
  rules: { spec: [markNeedsMark] },
});
export type FirewallRule = ObjectOf<typeof FirewallRule>;
