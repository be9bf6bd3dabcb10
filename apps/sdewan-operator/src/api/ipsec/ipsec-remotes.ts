import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "../rule-kind.ts";
import { keyRules } from "../rules.ts";
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
const base64 = "Base64. Join several certificates with ___.";

/** Returns the schema of a connection: the fields that hosts and sites share, and the given ones. */
const connection = <Own extends Type.TProperties>(own: Own) =>
  Type.Object({
    conn_type: described(Type.Enum(["tunnel", "transport"]), "tunnel or transport."),
    ...own,
    mode: described(
      Type.Enum(["start", "add", "route"]),
      "start: the CNF brings the connection up immediately. route: the first traffic brings it up. add: the CNF waits for the peer.",
    ),
    name: described(referredName, "Unique among all IPsec objects of the CNF."),
    local_updown: Type.Optional(
      described(updownScript, "A script that runs when the connection comes up or goes down."),
    ),
    remote_updown: Type.Optional(described(updownScript, "The script that runs at the other end.")),
    local_firewall: Type.Optional(described(yesOrNo, "Controls whether the firewall allows the connection's traffic.")),
    remote_firewall: Type.Optional(described(yesOrNo, "The firewall setting at the other end.")),
    remote_subnet: Type.Optional(described(ipsecNetworks, "The network behind the peer.")),
    remote_sourceip: Type.Optional(described(ipsecNetworks, "The address that is assigned to the peer.")),
    crypto_proposal: Type.Optional(Type.Array(referredName, { description: proposals })),
    mark: Type.Optional(described(ipsecMark, "The mark of traffic through the connection.")),
    if_id: Type.Optional(described(ipsecMark, "The number of the interface that carries the traffic.")),
  });

/** Returns the schema of a peer. IpsecHost and IpsecSite differ only in their connections. */
const remoteSpec = <Connection extends Type.TSchema>(of: Connection) =>
  Type.Object({
    authentication_method: described(
      Type.Enum(["psk", "pubkey"]),
      "Authentication method: psk needs pre_shared_key, pubkey needs certificates.",
    ),
    connections: described(Type.Array(of, { minItems: 1 }), "The connections between the CNF and the peer."),
    crypto_proposal: Type.Array(referredName, { minItems: 1, description: proposals }),
    remote: described(gateway, "The address of the peer, or %any."),
    name: Type.Optional(Type.String({ description: "Not used: the peer has the name of this object." })),
    type: Type.Optional(described(ipsecType, "VTI-based or policy-based.")),
    force_crypto_proposal: Type.Optional(described(zeroOrOne, "1: accept only these proposals.")),
    pre_shared_key: Type.Optional(
      Type.String({
        maxLength: secretTexts.text.maxLength,
        description: "The pre-shared key in clear text. Use preSharedKeySecretRef to keep it in a Secret.",
      }),
    ),
    preSharedKeySecretRef: Type.Optional(secretKeyRef("The Secret with the pre-shared key. Replaces pre_shared_key.")),
    local_identifier: Type.Optional(described(identifier, "The identity that the CNF presents.")),
    remote_identifier: Type.Optional(described(identifier, "The identity that the peer must present.")),
    local_public_cert: Type.Optional(described(certificate, base64)),
    local_private_cert: Type.Optional(Type.String({ maxLength: secretTexts.base64.maxLength, description: base64 })),
    localPrivateCertSecretRef: Type.Optional(
      secretKeyRef(
        "The Secret with the private key, as PEM or in the format of local_private_cert. Replaces local_private_cert.",
      ),
    ),
    shared_ca: Type.Optional(described(certificate, base64)),
  });

/**
 * A peer to which a CNF connects as a host, with its own address in the tunnel. The operator creates one object in the
 * `ipsec/v1/remotes` collection.
 */
export const IpsecHost = defineKind({
  ...ruleKind,
  kind: "IpsecHost",
  description: "An IPsec peer to which the CNF connects as a host.",
  spec: remoteSpec(
    connection({
      local_sourceip: Type.Optional(
        described(ipsecNetworks, "The address of the CNF inside the tunnel. %config: the peer assigns it."),
      ),
    }),
  ),
  rules: { spec: keyRules },
});
export type IpsecHost = ObjectOf<typeof IpsecHost>;

/** A peer to which a CNF connects a subnet. The operator creates one object in the `ipsec/v1/remotes` collection. */
export const IpsecSite = defineKind({
  ...ruleKind,
  kind: "IpsecSite",
  description: "An IPsec peer to which the CNF connects a subnet.",
  spec: remoteSpec(connection({ local_subnet: described(ipsecNetworks, "The network behind the CNF.") })),
  rules: { spec: keyRules },
});
export type IpsecSite = ObjectOf<typeof IpsecSite>;
