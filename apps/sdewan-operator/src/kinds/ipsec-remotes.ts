import type { DeepReadonly } from "@kubewright/apimachinery";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { cnfKind, InvalidSpecError } from "../uci/cnf-kind.ts";
import { cnfReference, type Naming, sectionName } from "../uci/cnf-name.ts";
import { texts, type UciObject } from "../uci/uci-object.ts";
import { ipsecProposal } from "./ipsec-proposal.ts";

type RemoteSpec = DeepReadonly<NonNullable<IpsecHost["spec"] | IpsecSite["spec"]>>;
type Connection = RemoteSpec["connections"][number];

/** Naming scheme for IPsec connections, which are separate UCI sections on the CNF. */
export const ipsecConnection: Naming = { nameOnCnf: sectionName };

const certificates = ["local_public_cert", "local_private_cert", "shared_ca"];
const authentication = ["authentication_method", "pre_shared_key", "local_identifier", "remote_identifier"];
const local = ["local_subnet", "local_nat", "local_sourceip", "local_updown", "local_firewall"];
const remote = ["remote_subnet", "remote_sourceip", "remote_updown", "remote_firewall"];

/** Traits that hosts and sites share, because both are remotes on the CNF. */
const remoteTraits = {
  config: "ipsec",
  collection: "remotes",
  rank: 1,
  namedSections: true,
  garbled: certificates,
  omitted: ["if_id"],
  listKey: "name",
  secretFields: [
    { field: "pre_shared_key", ref: "preSharedKeySecretRef", form: "text" },
    { field: "local_private_cert", ref: "localPrivateCertSecretRef", form: "base64" },
  ],
} as const;

/**
 * Returns the remote for a spec.
 *
 * @throws {InvalidSpecError} if two connections have the same name, because one would overwrite the other
 */
function remoteToUci(spec: RemoteSpec | undefined): UciObject {
  const names = connectionNames(spec);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) throw new InvalidSpecError(`spec.connections[${twice}].name: ${names[twice]} is already used`);
  return {
    ...texts(spec ?? {}, ["type", ...authentication, "force_crypto_proposal", ...certificates]),
    gateway: (spec?.remote ?? "").trim(),
    crypto_proposal: proposals(spec?.crypto_proposal),
    connections: (spec?.connections ?? []).map(connection),
  };
}

/**
 * Returns the names of a remote and its connections. Remotes and connections share one set of names, and overwrite
 * existing sections with the same name.
 */
const remoteNames = (name: string, spec: RemoteSpec | undefined): string[] => [
  sectionName(name),
  ...connectionNames(spec),
];

const connectionNames = (spec: RemoteSpec | undefined): string[] =>
  (spec?.connections ?? []).map(({ name }) => cnfReference(ipsecConnection, name));

/** Returns the secrets of a remote: everything that proves an identity, except public certificates. */
const remoteSecrets = (spec: RemoteSpec | undefined): (string | undefined)[] => [
  spec?.pre_shared_key,
  spec?.local_private_cert,
];

const connection = (spec: Connection): UciObject => ({
  ...texts(spec, ["conn_type", "mode", ...local, ...remote, "mark", "if_id"]),
  name: cnfReference(ipsecConnection, spec.name),
  crypto_proposal: proposals(spec.crypto_proposal),
});

const proposals = (names: readonly string[] | undefined): readonly string[] | null =>
  names?.map((name) => cnfReference(ipsecProposal, name)) ?? null;

export const ipsecHost = cnfKind({
  kind: IpsecHost,
  ...remoteTraits,
  finalizer: "ipsec.host",
  toUci: ({ spec }) => remoteToUci(spec),
  names: ({ metadata, spec }) => remoteNames(metadata.name, spec),
  secrets: ({ spec }) => remoteSecrets(spec),
});

export const ipsecSite = cnfKind({
  kind: IpsecSite,
  ...remoteTraits,
  finalizer: "ipsec.site",
  toUci: ({ spec }) => remoteToUci(spec),
  names: ({ metadata, spec }) => remoteNames(metadata.name, spec),
  secrets: ({ spec }) => remoteSecrets(spec),
});
