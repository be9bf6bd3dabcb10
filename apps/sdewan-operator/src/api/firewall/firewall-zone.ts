import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { list, object, text } from "../schema.ts";
import { addressFamily, cidrElement, negatableCidrElement, zeroOrOne, zonePolicy } from "../values.ts";

export const FirewallZone = defineRuleKind({
  kind: "FirewallZone",
  plural: "firewallzones",
  description: "Groups networks of the CNF for its firewall.",
  spec: object(
    { network: list(text(), { minItems: 1 }) },
    {
      name: text({ description: "Not used: the zone is named like the object." }),
      masq: zeroOrOne(),
      masq_src: list(negatableCidrElement()),
      masq_dest: list(negatableCidrElement()),
      masq_allow_invalid: zeroOrOne(),
      mtu_fix: zeroOrOne(),
      input: zonePolicy(),
      forward: zonePolicy(),
      output: zonePolicy(),
      family: addressFamily(),
      subnet: list(cidrElement()),
      extra_src: text(),
      etra_dest: text(),
    },
  ),
});
export type FirewallZone = ObjectOf<typeof FirewallZone>;
