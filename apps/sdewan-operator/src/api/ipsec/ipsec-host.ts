import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { keyRules } from "../rules.ts";
import { described, ipsecNetworks } from "../values.ts";
import { connection, remoteSpec } from "./ipsec-remote.ts";

/** A peer to which a CNF connects as a host, with its own address in the tunnel. It becomes one object of `ipsec/v1/remotes`. */
export const IpsecHost = defineKind({
  ...ruleKind,
  kind: "IpsecHost",
  description: "An IPsec peer to which the CNF connects as a host.",
  spec: remoteSpec(
    connection({
      local_sourceip: Type.Optional(
        described(ipsecNetworks, "The address of the CNF inside the tunnel. %config: the peer assigns it."),
      ),
    }),
  ),
  rules: { spec: keyRules },
});
export type IpsecHost = ObjectOf<typeof IpsecHost>;
