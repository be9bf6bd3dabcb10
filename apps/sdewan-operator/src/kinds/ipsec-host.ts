import { IpsecHost } from "../api/ipsec-host.ts";
import { cnfKind } from "./cnf-kind.ts";
import { remoteSecrets, remoteToUci, remoteTraits } from "./ipsec-remote.ts";

export const ipsecHost = cnfKind({
  kind: IpsecHost,
  ...remoteTraits,
  finalizer: "ipsec.host",
  toUci: ({ spec }) => remoteToUci(spec),
  secrets: ({ spec }) => remoteSecrets(spec),
});
