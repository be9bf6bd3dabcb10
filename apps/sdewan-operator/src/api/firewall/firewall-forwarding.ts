import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { object, text } from "../schema.ts";
import { addressFamily } from "../values.ts";

export const FirewallForwarding = defineRuleKind({
  kind: "FirewallForwarding",
  plural: "firewallforwardings",
  description: "Lets traffic pass from one zone to another.",
  spec: object(
    {},
    {
      name: text({ description: "Not used: the forwarding is named like the object." }),
      src: text({ description: "The name of a FirewallZone of the same CNF." }),
      dest: text({ description: "The name of a FirewallZone of the same CNF." }),
      family: addressFamily(),
    },
  ),
});
export type FirewallForwarding = ObjectOf<typeof FirewallForwarding>;
