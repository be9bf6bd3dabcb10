import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { described } from "../values.ts";
import { diffieHellmanGroup, encryptionAlgorithm, hashAlgorithm } from "./ipsec-algorithms.ts";

/** Algorithms that a CNF offers to a peer. The operator creates one object in the `ipsec/v1/proposals` collection. */
export const IpsecProposal = defineKind({
  ...ruleKind,
  kind: "IpsecProposal",
  description: "Algorithms that the CNF offers to an IPsec peer.",
  spec: Type.Object({
    dh_group: described(diffieHellmanGroup, "The Diffie-Hellman group."),
    encryption_algorithm: described(encryptionAlgorithm, "The encryption algorithm."),
    hash_algorithm: described(hashAlgorithm, "The hash algorithm."),
    name: Type.Optional(Type.String({ description: "Not used: the proposal has the name of this object." })),
  }),
});
export type IpsecProposal = ObjectOf<typeof IpsecProposal>;
