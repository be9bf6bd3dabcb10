import { described, ipv4OrCidr, port, protocol } from "./values.ts";

/** What kinds of address translation have in common, in the order of their schemas: where traffic comes from. */
export const translationSource = {
  src_ip: described(ipv4OrCidr, "The source, an IPv4 address or network."),
  src_dip: described(ipv4OrCidr, "SNAT: the address that the source becomes. DNAT: the destination that traffic has."),
};

/** Its ports, and the protocol. */
export const translationPorts = {
  src_port: described(port, "The source port."),
  src_dport: described(port, "SNAT: the port that the source becomes. DNAT: the destination port that traffic has."),
  proto: described(protocol, "The protocol."),
};

/** Where it goes. */
export const translationDestination = {
  dest_ip: described(
    ipv4OrCidr,
    "DNAT: the address that the destination becomes. SNAT: the destination that traffic has.",
  ),
  dest_port: described(
    port,
    "DNAT: the port that the destination becomes. SNAT: the destination port that traffic has.",
  ),
};

/** The names of all of them. */
export const translationFields: readonly string[] = Object.keys({
  ...translationSource,
  ...translationPorts,
  ...translationDestination,
});
