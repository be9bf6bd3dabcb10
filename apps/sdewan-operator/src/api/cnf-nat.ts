import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { natRules } from "./rules.ts";
import { described, ipv4OrCidr, naturalNumber, oneOf, port, protocol } from "./values.ts";

export const CNFNAT = defineKind({
  ...ruleKind,
  kind: "CNFNAT",
  description: "Address translation on an interface of the CNF.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the translation is named like the object." }),
      src: Type.String({ description: "An interface of the CNF, #default or #source." }),
      src_ip: described(ipv4OrCidr, "The source, an IPv4 address or network."),
      src_dip: described(
        ipv4OrCidr,
        "SNAT: the address that the source becomes. DNAT: the destination that traffic has.",
      ),
      src_port: described(port, "The source port."),
      src_dport: described(
        port,
        "SNAT: the port that the source becomes. DNAT: the destination port that traffic has.",
      ),
      proto: described(protocol, "The protocol."),
      dest: Type.String({ description: "An interface of the CNF, #default or #source." }),
      dest_ip: described(
        ipv4OrCidr,
        "DNAT: the address that the destination becomes. SNAT: the destination that traffic has.",
      ),
      dest_port: described(
        port,
        "DNAT: the port that the destination becomes. SNAT: the destination port that traffic has.",
      ),
      target: described(
        oneOf("DNAT", "SNAT", "MASQUERADE"),
        "What is translated: DNAT needs dest_ip or dest_port, SNAT needs src_dip and dest, MASQUERADE needs dest.",
      ),
      index: described(naturalNumber, "Its place in the chain; empty or 0: at the end."),
    }),
  ),
  rules: { spec: natRules },
});
export type CNFNAT = ObjectOf<typeof CNFNAT>;
