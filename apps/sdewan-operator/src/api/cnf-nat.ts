import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "./define-rule-kind.ts";
import { object, text } from "./schema.ts";
import { ipv4OrCidr, naturalNumber, oneOf, port, protocol } from "./values.ts";

export const CNFNAT = defineRuleKind({
  kind: "CNFNAT",
  plural: "cnfnats",
  description: "Address translation on an interface of the CNF.",
  spec: object(
    {},
    {
      name: text({ description: "Not used: the translation is named like the object." }),
      src: text({ description: "An interface of the CNF, #default or #source." }),
      src_ip: ipv4OrCidr(),
      src_dip: ipv4OrCidr(),
      src_port: port(),
      src_dport: port(),
      proto: protocol(),
      dest: text({ description: "An interface of the CNF, #default or #source." }),
      dest_ip: ipv4OrCidr(),
      dest_port: port(),
      target: oneOf("DNAT", "SNAT", "MASQUERADE"),
      index: naturalNumber(),
    },
  ),
});
export type CNFNAT = ObjectOf<typeof CNFNAT>;
