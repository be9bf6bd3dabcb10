import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { addressFamily, cidrElement, negatableCidrElement, zeroOrOne, zonePolicy } from "../values.ts";

export const FirewallZone = defineKind({
  ...ruleKind,
  kind: "FirewallZone",
  description: "Groups networks of the CNF for its firewall.",
  spec: Type.Object({
    network: Type.Array(Type.String(), { minItems: 1 }),
    name: Type.Optional(Type.String({ description: "Not used: the zone is named like the object." })),
    masq: Type.Optional(zeroOrOne),
    masq_src: Type.Optional(Type.Array(negatableCidrElement)),
    masq_dest: Type.Optional(Type.Array(negatableCidrElement)),
    masq_allow_invalid: Type.Optional(zeroOrOne),
    mtu_fix: Type.Optional(zeroOrOne),
    input: Type.Optional(zonePolicy),
    forward: Type.Optional(zonePolicy),
    output: Type.Optional(zonePolicy),
    family: Type.Optional(addressFamily),
    subnet: Type.Optional(Type.Array(cidrElement)),
    extra_src: Type.Optional(Type.String()),
    etra_dest: Type.Optional(Type.String()),
  }),
});
export type FirewallZone = ObjectOf<typeof FirewallZone>;
