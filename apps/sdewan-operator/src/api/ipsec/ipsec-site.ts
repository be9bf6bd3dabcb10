import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { ruleKind } from "../rule-kind.ts";
import { keyRules } from "../rules.ts";
import { described, ipsecNetworks } from "../values.ts";
import { connection, remoteSpec } from "./ipsec-remote.ts";

/** A peer to which a CNF connects a subnet. It becomes one object of `ipsec/v1/remotes`. */
export const IpsecSite = defineKind({
  ...ruleKind,
  kind: "IpsecSite",
  description: "An IPsec peer to which the CNF connects a subnet.",
  spec: remoteSpec(connection({ local_subnet: described(ipsecNetworks, "The network behind the CNF.") })),
  rules: { spec: keyRules },
});
export type IpsecSite = ObjectOf<typeof IpsecSite>;
