import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { ruleKind } from "../rule-kind.ts";
import { snatRules } from "../rules.ts";
import { redirectSpec } from "./redirect.ts";

/** Rewrites the source of traffic that leaves through a zone. It becomes one object of `firewall/v1/redirects` with target `SNAT`. */
export const FirewallSNAT = defineKind({
  ...ruleKind,
  kind: "FirewallSNAT",
  description: "Rewrites the source of traffic that leaves through a zone.",
  spec: redirectSpec,
  rules: { spec: snatRules },
});
export type FirewallSNAT = ObjectOf<typeof FirewallSNAT>;
