import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
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

/** Networks of a CNF that its firewall treats alike: one object of `firewall/v1/zones`, whose name there has at most 11 characters. */
export const FirewallZone = defineKind({
  ...ruleKind,
  kind: "FirewallZone",
  description: "Groups networks of the CNF for its firewall.",
  spec: Type.Object({
    network: described(
      Type.Array(referredName, { minItems: 1 }),
      "The networks, by the names under which they are attached to the CNF.",
    ),
    name: Type.Optional(Type.String({ description: "Not used: the zone is named like the object." })),
    masq: Type.Optional(described(zeroOrOne, "1: traffic that leaves gets the address of the interface.")),
    masq_src: Type.Optional(
      described(Type.Array(negatableCidrElement), "Sources that masq is for, or with ! is not for."),
    ),
    masq_dest: Type.Optional(
      described(Type.Array(negatableCidrElement), "Destinations that masq is for, or with ! is not for."),
    ),
    masq_allow_invalid: Type.Optional(
      described(zeroOrOne, "1: traffic without a known connection may leave unchanged."),
    ),
    mtu_fix: Type.Optional(described(zeroOrOne, "1: TCP segments are cut to what the path can carry.")),
    input: Type.Optional(described(zonePolicy, "What becomes of traffic to the CNF.")),
    forward: Type.Optional(described(zonePolicy, "What becomes of traffic between networks of the zone.")),
    output: Type.Optional(described(zonePolicy, "What becomes of traffic of the CNF.")),
    family: Type.Optional(described(addressFamily, "The IP versions that it is for.")),
    subnet: Type.Optional(described(Type.Array(cidrElement), "Networks that belong to the zone.")),
    extra_src: Type.Optional(described(iptablesArguments, "Further arguments of iptables for traffic that enters.")),
    etra_dest: Type.Optional(
      described(iptablesArguments, "Further arguments of iptables for traffic that leaves; the field is spelled so."),
    ),
  }),
});
export type FirewallZone = ObjectOf<typeof FirewallZone>;
