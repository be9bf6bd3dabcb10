import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { ruleKind } from "../rule-kind.ts";
import { snatRules } from "../rules.ts";
import { redirectSpec } from "./redirect.ts";

export const FirewallSNAT = defineKind({
  ...ruleKind,
  kind: "FirewallSNAT",
  description: "Rewrites the source of traffic that leaves a zone.",
  spec: redirectSpec,
  rules: { spec: snatRules },
});
export type FirewallSNAT = ObjectOf<typeof FirewallSNAT>;
