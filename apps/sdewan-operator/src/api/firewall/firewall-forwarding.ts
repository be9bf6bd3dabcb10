import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { addressFamily, described } from "../values.ts";

/** Lets traffic pass from one zone to another: one object of `firewall/v1/forwardings`. */
export const FirewallForwarding = defineKind({
  ...ruleKind,
  kind: "FirewallForwarding",
  description: "Lets traffic pass from one zone to another.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the forwarding is named like the object." }),
      src: Type.String({ description: "The name of a FirewallZone of the same CNF." }),
      dest: Type.String({ description: "The name of a FirewallZone of the same CNF." }),
      family: described(addressFamily, "The IP versions that it is for."),
    }),
  ),
});
export type FirewallForwarding = ObjectOf<typeof FirewallForwarding>;
