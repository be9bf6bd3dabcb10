import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { ipv4OrCidr, oneOf, port, positiveInteger, zeroOrOne } from "./values.ts";

export const Mwan3Rule = defineKind({
  ...ruleKind,
  kind: "Mwan3Rule",
  description: "Says which traffic a Mwan3Policy is for.",
  spec: Type.Object({
    dest_ip: ipv4OrCidr,
    dest_port: port,
    family: oneOf("ipv4", "ipv6", "all"),
    policy: Type.String({ description: "The name of a Mwan3Policy of the same CNF." }),
    proto: oneOf("tcp", "udp", "icmp", "all"),
    src_ip: ipv4OrCidr,
    src_port: port,
    sticky: zeroOrOne,
    timeout: positiveInteger,
  }),
});
export type Mwan3Rule = ObjectOf<typeof Mwan3Rule>;
