import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { object, text } from "../schema.ts";
import { connectionOptional, connectionRequired, remoteSpec } from "./ipsec-remote.ts";

export const IpsecHost = defineRuleKind({
  kind: "IpsecHost",
  plural: "ipsechosts",
  description: "An IPsec peer to which the CNF connects as a host.",
  spec: remoteSpec(object(connectionRequired, { ...connectionOptional, local_sourceip: text() })),
});
export type IpsecHost = ObjectOf<typeof IpsecHost>;
