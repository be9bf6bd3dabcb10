import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { object, text } from "../schema.ts";
import { connectionOptional, connectionRequired, remoteSpec } from "./ipsec-remote.ts";

export const IpsecSite = defineRuleKind({
  kind: "IpsecSite",
  plural: "ipsecsites",
  description: "An IPsec peer to which the CNF connects a subnet.",
  spec: remoteSpec(object({ ...connectionRequired, local_subnet: text() }, connectionOptional)),
});
export type IpsecSite = ObjectOf<typeof IpsecSite>;
