import { IpsecHost } from "../api/ipsec/ipsec-host.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { remoteNames, remoteSecrets, remoteToUci, remoteTraits } from "./ipsec-remote.ts";

export const ipsecHost = cnfKind({
  kind: IpsecHost,
  ...remoteTraits,
  finalizer: "ipsec.host",
  toUci: ({ spec }) => remoteToUci(spec),
  names: ({ metadata, spec }) => remoteNames(metadata.name, spec),
  secrets: ({ spec }) => remoteSecrets(spec),
});
