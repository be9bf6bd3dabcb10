import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { ruleKind } from "../rule-kind.ts";
import { dnatRules } from "../rules.ts";
import { redirectSpec } from "./redirect.ts";

/** Rewrites the destination of traffic that enters through a zone. It becomes one object of `firewall/v1/redirects` with target `DNAT`. */
export const FirewallDNAT = defineKind({
  ...ruleKind,
  kind: "FirewallDNAT",
  description: "Rewrites the destination of traffic that enters through a zone.",
  spec: redirectSpec,
  rules: { spec: dnatRules },
});
export type FirewallDNAT = ObjectOf<typeof FirewallDNAT>;
