import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { redirectSpec } from "./redirect.ts";

export const FirewallDNAT = defineRuleKind({
  kind: "FirewallDNAT",
  plural: "firewalldnats",
  description: "Rewrites the destination of traffic that enters by a zone.",
  spec: redirectSpec(),
});
export type FirewallDNAT = ObjectOf<typeof FirewallDNAT>;
