import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { pskNeedsKey } from "../rules.ts";
import { connection, remoteSpec } from "./ipsec-remote.ts";

/** A peer that a CNF connects to as a host, with an address of its own in the tunnel: one object of `ipsec/v1/remotes`. */
export const IpsecHost = defineKind({
  ...ruleKind,
  kind: "IpsecHost",
  description: "An IPsec peer to which the CNF connects as a host.",
  spec: remoteSpec(
    connection({
      local_sourceip: Type.Optional(
        Type.String({ description: "The address that the CNF has inside it; %config: the peer says." }),
      ),
    }),
  ),
  rules: { spec: [pskNeedsKey] },
});
export type IpsecHost = ObjectOf<typeof IpsecHost>;
