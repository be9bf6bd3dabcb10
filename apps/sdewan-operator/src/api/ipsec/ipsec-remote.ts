import { list, object, type Schema, text } from "../schema.ts";
import { exactlyOneOf, yesOrNo, zeroOrOne } from "../values.ts";

const proposals = "Names of IpsecProposals of the same CNF.";
const base64 = "Base64; several are joined by ___.";

/** What connections of hosts and of sites share. */
export const connectionRequired = {
  name: text({ description: "Unique among all IPsec objects of the CNF." }),
  conn_type: exactlyOneOf("tunnel", "transport"),
  mode: exactlyOneOf("start", "add", "route"),
};
export const connectionOptional = {
  local_updown: text(),
  remote_updown: text(),
  local_firewall: yesOrNo(),
  remote_firewall: yesOrNo(),
  remote_subnet: text(),
  remote_sourceip: text(),
  crypto_proposal: list(text(), { description: proposals }),
  mark: text(),
  if_id: text(),
};

/** IpsecHost and IpsecSite differ in their connections only. */
export const remoteSpec = <C>(connection: Schema<C>) =>
  object(
    {
      remote: text({ description: "The peer's address, or %any." }),
      authentication_method: exactlyOneOf("psk", "pubkey"),
      crypto_proposal: list(text(), { minItems: 1, description: proposals }),
      connections: list(connection, { minItems: 1 }),
    },
    {
      name: text({ description: "Not used: the peer is named like the object." }),
      type: text({ description: "VTI-based or policy-based." }),
      force_crypto_proposal: zeroOrOne(),
      pre_shared_key: text({ description: "Needed for psk." }),
      local_identifier: text(),
      remote_identifier: text(),
      local_public_cert: text({ description: base64 }),
      local_private_cert: text({ description: base64 }),
      shared_ca: text({ description: base64 }),
    },
  );
