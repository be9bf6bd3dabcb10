import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { connection, remoteSpec } from "./ipsec-remote.ts";

export const IpsecSite = defineKind({
  ...ruleKind,
  kind: "IpsecSite",
  description: "An IPsec peer to which the CNF connects a subnet.",
  spec: remoteSpec(connection({ local_subnet: Type.String() })),
});
export type IpsecSite = ObjectOf<typeof IpsecSite>;
