import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { addressFamily, described, referredName } from "../values.ts";

/**
 * Allows traffic from one zone to another. The operator creates one object in the `firewall/v1/forwardings` collection.
 */
export const FirewallForwarding = defineKind({
  ...ruleKind,
  kind: "FirewallForwarding",
  description: "Allows traffic from one zone to another.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the forwarding has the name of this object." }),
      src: described(referredName, "The name of a FirewallZone of the same CNF."),
      dest: described(referredName, "The name of a FirewallZone of the same CNF."),
      family: described(addressFamily, "The IP versions that the forwarding applies to."),
    }),
  ),
});
export type FirewallForwarding = ObjectOf<typeof FirewallForwarding>;
