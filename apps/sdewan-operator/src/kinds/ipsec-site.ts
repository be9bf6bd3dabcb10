import { IpsecSite } from "../api/ipsec/ipsec-site.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { remoteNames, remoteSecrets, remoteToUci, remoteTraits } from "./ipsec-remote.ts";

export const ipsecSite = cnfKind({
  kind: IpsecSite,
  ...remoteTraits,
  finalizer: "ipsec.site",
  toUci: ({ spec }) => remoteToUci(spec),
  names: ({ metadata, spec }) => remoteNames(metadata.name, spec),
  secrets: ({ spec }) => remoteSecrets(spec),
});
