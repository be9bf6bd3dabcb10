import { Type } from "typebox";
import {
  certificate,
  described,
  gateway,
  identifier,
  ipsecMark,
  ipsecNetworks,
  ipsecType,
  referredName,
  secretTexts,
  updownScript,
  yesOrNo,
  zeroOrOne,
} from "../values.ts";
import { secretKeyRef } from "./secret-key-ref.ts";

const proposals = "Names of IpsecProposals of the same CNF.";
const base64 = "Base64; several are joined by ___.";

/** A connection: what those of hosts and of sites share, and the fields of its own. */
export const connection = <Own extends Type.TProperties>(own: Own) =>
  Type.Object({
    conn_type: described(Type.Enum(["tunnel", "transport"]), "tunnel or transport."),
    ...own,
    mode: described(
      Type.Enum(["start", "add", "route"]),
      "start: brought up at once; route: by the first traffic; add: by the peer only.",
    ),
    name: described(referredName, "Unique among all IPsec objects of the CNF."),
    local_updown: Type.Optional(
      described(updownScript, "A script that runs when the connection comes up or goes down."),
    ),
    remote_updown: Type.Optional(described(updownScript, "The same, for the other end.")),
    local_firewall: Type.Optional(described(yesOrNo, "Whether the firewall lets its traffic pass.")),
    remote_firewall: Type.Optional(described(yesOrNo, "The same, for the other end.")),
    remote_subnet: Type.Optional(described(ipsecNetworks, "The network behind the peer.")),
    remote_sourceip: Type.Optional(described(ipsecNetworks, "The address that the peer gets.")),
    crypto_proposal: Type.Optional(Type.Array(referredName, { description: proposals })),
    mark: Type.Optional(described(ipsecMark, "The mark of traffic that goes through it.")),
    if_id: Type.Optional(described(ipsecMark, "The number of the interface that its traffic goes through.")),
  });

/** IpsecHost and IpsecSite differ in their connections only. */
export const remoteSpec = <Connection extends Type.TSchema>(of: Connection) =>
  Type.Object({
    authentication_method: described(
      Type.Enum(["psk", "pubkey"]),
      "psk needs pre_shared_key, pubkey the certificates.",
    ),
    connections: described(Type.Array(of, { minItems: 1 }), "What goes on between the CNF and the peer."),
    crypto_proposal: Type.Array(referredName, { minItems: 1, description: proposals }),
    remote: described(gateway, "The peer's address, or %any."),
    name: Type.Optional(Type.String({ description: "Not used: the peer is named like the object." })),
    type: Type.Optional(described(ipsecType, "VTI-based or policy-based.")),
    force_crypto_proposal: Type.Optional(described(zeroOrOne, "1: nothing but the proposals is accepted.")),
    pre_shared_key: Type.Optional(
      Type.String({
        maxLength: secretTexts.text.maxLength,
        description: "The key, which psk needs, in clear text; preSharedKeySecretRef keeps it out of here.",
      }),
    ),
    preSharedKeySecretRef: Type.Optional(secretKeyRef("The key for psk, in place of pre_shared_key.")),
    local_identifier: Type.Optional(described(identifier, "Who the CNF says that it is.")),
    remote_identifier: Type.Optional(described(identifier, "Who the peer must say that it is.")),
    local_public_cert: Type.Optional(described(certificate, base64)),
    local_private_cert: Type.Optional(Type.String({ maxLength: secretTexts.base64.maxLength, description: base64 })),
    localPrivateCertSecretRef: Type.Optional(
      secretKeyRef("The private key, as PEM or as in local_private_cert, in place of that field."),
    ),
    shared_ca: Type.Optional(described(certificate, base64)),
  });
