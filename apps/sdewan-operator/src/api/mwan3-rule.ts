import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "./define-rule-kind.ts";
import { object, text } from "./schema.ts";
import { ipv4OrCidr, oneOf, port, positiveInteger, zeroOrOne } from "./values.ts";

export const Mwan3Rule = defineRuleKind({
  kind: "Mwan3Rule",
  plural: "mwan3rules",
  description: "Says which traffic a Mwan3Policy is for.",
  spec: object(
    {
      policy: text({ description: "The name of a Mwan3Policy of the same CNF." }),
      src_ip: ipv4OrCidr(),
      src_port: port(),
      dest_ip: ipv4OrCidr(),
      dest_port: port(),
      proto: oneOf("tcp", "udp", "icmp", "all"),
      family: oneOf("ipv4", "ipv6", "all"),
      sticky: zeroOrOne(),
      timeout: positiveInteger(),
    },
    {},
  ),
});
export type Mwan3Rule = ObjectOf<typeof Mwan3Rule>;
