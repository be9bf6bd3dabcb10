import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "../define-rule-kind.ts";
import { object, text } from "../schema.ts";
import { diffieHellmanGroup, encryptionAlgorithm, hashAlgorithm } from "./ipsec-algorithms.ts";

export const IpsecProposal = defineRuleKind({
  kind: "IpsecProposal",
  plural: "ipsecproposals",
  description: "Algorithms to offer to an IPsec peer.",
  spec: object(
    {
      encryption_algorithm: encryptionAlgorithm(),
      hash_algorithm: hashAlgorithm(),
      dh_group: diffieHellmanGroup(),
    },
    { name: text({ description: "Not used: the proposal is named like the object." }) },
  ),
});
export type IpsecProposal = ObjectOf<typeof IpsecProposal>;
