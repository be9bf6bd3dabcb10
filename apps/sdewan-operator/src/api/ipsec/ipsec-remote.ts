import { Type } from "typebox";
import { described, yesOrNo, zeroOrOne } from "../values.ts";
import { secretKeyRef } from "./secret-key-ref.ts";

const proposals = "Names of IpsecProposals of the same CNF.";
const certificate = Type.String({ description: "Base64; several are joined by ___." });

/** A connection: what those of hosts and of sites share, and the fields of its own. */
export const connection = <Own extends Type.TProperties>(own: Own) =>
  Type.Object({
    conn_type: described(Type.Enum(["tunnel", "transport"]), "tunnel or transport."),
    ...own,
    mode: described(
      Type.Enum(["start", "add", "route"]),
      "start: brought up at once; route: by the first traffic; add: by the peer only.",
    ),
    name: Type.String({ description: "Unique among all IPsec objects of the CNF." }),
    local_updown: Type.Optional(
      described(Type.String(), "A script that runs when the connection comes up or goes down."),
    ),
    remote_updown: Type.Optional(described(Type.String(), "The same, for the other end.")),
    local_firewall: Type.Optional(described(yesOrNo, "Whether the firewall lets its traffic pass.")),
    remote_firewall: Type.Optional(described(yesOrNo, "The same, for the other end.")),
    remote_subnet: Type.Optional(described(Type.String(), "The network behind the peer.")),
    remote_sourceip: Type.Optional(described(Type.String(), "The address that the peer gets.")),
    crypto_proposal: Type.Optional(Type.Array(Type.String(), { description: proposals })),
    mark: Type.Optional(described(Type.String(), "The mark of traffic that goes through it.")),
    if_id: Type.Optional(described(Type.String(), "The number of the interface that its traffic goes through.")),
  });

/** IpsecHost and IpsecSite differ in their connections only. */
export const remoteSpec = <Connection extends Type.TSchema>(of: Connection) =>
  Type.Object({
    authentication_method: described(
      Type.Enum(["psk", "pubkey"]),
      "psk needs pre_shared_key, pubkey the certificates.",
    ),
    connections: described(Type.Array(of, { minItems: 1 }), "What goes on between the CNF and the peer."),
    crypto_proposal: Type.Array(Type.String(), { minItems: 1, description: proposals }),
    remote: Type.String({ description: "The peer's address, or %any." }),
    name: Type.Optional(Type.String({ description: "Not used: the peer is named like the object." })),
    type: Type.Optional(Type.String({ description: "VTI-based or policy-based." })),
    force_crypto_proposal: Type.Optional(described(zeroOrOne, "1: nothing but the proposals is accepted.")),
    pre_shared_key: Type.Optional(
      Type.String({
        description: "The key, which psk needs, in clear text; preSharedKeySecretRef keeps it out of here.",
      }),
    ),
    preSharedKeySecretRef: Type.Optional(secretKeyRef("The key for psk, in place of pre_shared_key.")),
    local_identifier: Type.Optional(described(Type.String(), "Who the CNF says that it is.")),
    remote_identifier: Type.Optional(described(Type.String(), "Who the peer must say that it is.")),
    local_public_cert: Type.Optional(certificate),
    local_private_cert: Type.Optional(certificate),
    localPrivateCertSecretRef: Type.Optional(
      secretKeyRef("The private key, as PEM or as in local_private_cert, in place of that field."),
    ),
    shared_ca: Type.Optional(certificate),
  });
