import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { keyRules } from "../rules.ts";
import { described, ipsecNetworks } from "../values.ts";
import { connection, remoteSpec } from "./ipsec-remote.ts";

/** A peer that a CNF connects to as a host, with an address of its own in the tunnel: one object of `ipsec/v1/remotes`. */
export const IpsecHost = defineKind({
  ...ruleKind,
  kind: "IpsecHost",
  description: "An IPsec peer to which the CNF connects as a host.",
  spec: remoteSpec(
    connection({
      local_sourceip: Type.Optional(
        described(ipsecNetworks, "The address that the CNF has inside it; %config: the peer says."),
      ),
    }),
  ),
  rules: { spec: keyRules },
});
export type IpsecHost = ObjectOf<typeof IpsecHost>;
