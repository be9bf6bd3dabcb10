import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { redirectSpec } from "./redirect.ts";

export const FirewallSNAT = defineRuleKind({
  kind: "FirewallSNAT",
  plural: "firewallsnats",
  description: "Rewrites the source of traffic that leaves a zone.",
  spec: redirectSpec(),
});
export type FirewallSNAT = ObjectOf<typeof FirewallSNAT>;
