import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { ipv4OrCidr, naturalNumber, oneOf, port, protocol } from "./values.ts";

export const CNFNAT = defineKind({
  ...ruleKind,
  kind: "CNFNAT",
  description: "Address translation on an interface of the CNF.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the translation is named like the object." }),
      src: Type.String({ description: "An interface of the CNF, #default or #source." }),
      src_ip: ipv4OrCidr,
      src_dip: ipv4OrCidr,
      src_port: port,
      src_dport: port,
      proto: protocol,
      dest: Type.String({ description: "An interface of the CNF, #default or #source." }),
      dest_ip: ipv4OrCidr,
      dest_port: port,
      target: oneOf("DNAT", "SNAT", "MASQUERADE"),
      index: naturalNumber,
    }),
  ),
});
export type CNFNAT = ObjectOf<typeof CNFNAT>;
