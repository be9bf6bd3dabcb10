import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { orderedRuleKind } from "../rule-kind.ts";
import {
  addressFamily,
  cidrElement,
  described,
  iptablesArguments,
  negatableCidrElement,
  referredName,
  zeroOrOne,
  zonePolicy,
} from "../values.ts";

/**
 * A group of a CNF's networks to which the firewall applies the same policy. The operator creates one object in the
 * `firewall/v1/zones` collection. The object's name has at most 11 characters.
 */
export const FirewallZone = defineKind({
  ...orderedRuleKind,
  kind: "FirewallZone",
  description: "Groups networks of the CNF for its firewall.",
  spec: Type.Object({
    network: described(
      Type.Array(referredName, { minItems: 1 }),
      "The networks, by the names under which they are attached to the CNF.",
    ),
    name: Type.Optional(Type.String({ description: "Not used: the zone has the name of this object." })),
    masq: Type.Optional(described(zeroOrOne, "1: outgoing traffic gets the address of the interface (masquerading).")),
    masq_src: Type.Optional(
      described(Type.Array(negatableCidrElement), "Sources that masq applies to. A leading ! excludes the source."),
    ),
    masq_dest: Type.Optional(
      described(
        Type.Array(negatableCidrElement),
        "Destinations that masq applies to. A leading ! excludes the destination.",
      ),
    ),
    masq_allow_invalid: Type.Optional(
      described(zeroOrOne, "1: traffic of unknown connections may leave with an unchanged address."),
    ),
    mtu_fix: Type.Optional(described(zeroOrOne, "1: limit the size of TCP segments to the path's MTU.")),
    input: Type.Optional(described(zonePolicy, "Policy for traffic to the CNF.")),
    forward: Type.Optional(described(zonePolicy, "Policy for traffic between networks of the zone.")),
    output: Type.Optional(described(zonePolicy, "Policy for traffic from the CNF.")),
    family: Type.Optional(described(addressFamily, "The IP versions that the zone applies to.")),
    subnet: Type.Optional(described(Type.Array(cidrElement), "Networks that belong to the zone.")),
    extra_src: Type.Optional(described(iptablesArguments, "Additional iptables arguments for incoming traffic.")),
    etra_dest: Type.Optional(
      described(
        iptablesArguments,
        "Additional iptables arguments for outgoing traffic. The CNF uses this spelling of the field name.",
      ),
    ),
  }),
});
export type FirewallZone = ObjectOf<typeof FirewallZone>;
