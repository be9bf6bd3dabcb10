import { Type } from "typebox";
import { yesOrNo, zeroOrOne } from "../values.ts";

const proposals = "Names of IpsecProposals of the same CNF.";
const certificate = Type.String({ description: "Base64; several are joined by ___." });

/** A connection: what those of hosts and of sites share, and the fields of its own. */
export const connection = <Own extends Type.TProperties>(own: Own) =>
  Type.Object({
    conn_type: Type.Enum(["tunnel", "transport"]),
    ...own,
    mode: Type.Enum(["start", "add", "route"]),
    name: Type.String({ description: "Unique among all IPsec objects of the CNF." }),
    local_updown: Type.Optional(Type.String()),
    remote_updown: Type.Optional(Type.String()),
    local_firewall: Type.Optional(yesOrNo),
    remote_firewall: Type.Optional(yesOrNo),
    remote_subnet: Type.Optional(Type.String()),
    remote_sourceip: Type.Optional(Type.String()),
    crypto_proposal: Type.Optional(Type.Array(Type.String(), { description: proposals })),
    mark: Type.Optional(Type.String()),
    if_id: Type.Optional(Type.String()),
  });

/** IpsecHost and IpsecSite differ in their connections only. */
export const remoteSpec = <Connection extends Type.TSchema>(of: Connection) =>
  Type.Object({
    authentication_method: Type.Enum(["psk", "pubkey"]),
    connections: Type.Array(of, { minItems: 1 }),
    crypto_proposal: Type.Array(Type.String(), { minItems: 1, description: proposals }),
    remote: Type.String({ description: "The peer's address, or %any." }),
    name: Type.Optional(Type.String({ description: "Not used: the peer is named like the object." })),
    type: Type.Optional(Type.String({ description: "VTI-based or policy-based." })),
    force_crypto_proposal: Type.Optional(zeroOrOne),
    pre_shared_key: Type.Optional(Type.String({ description: "Needed for psk." })),
    local_identifier: Type.Optional(Type.String()),
    remote_identifier: Type.Optional(Type.String()),
    local_public_cert: Type.Optional(certificate),
    local_private_cert: Type.Optional(certificate),
    shared_ca: Type.Optional(certificate),
  });
