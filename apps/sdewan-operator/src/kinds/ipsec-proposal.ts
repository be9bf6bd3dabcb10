import { IpsecProposal } from "../api/ipsec/ipsec-proposal.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { texts } from "../uci/uci-object.ts";

export const ipsecProposal = cnfKind({
  kind: IpsecProposal,
  config: "ipsec",
  collection: "proposals",
  finalizer: "proposal",
  rank: 0,
  namedSections: true,
  toUci: ({ spec }) => texts(spec ?? {}, ["encryption_algorithm", "hash_algorithm", "dh_group"]),
});
