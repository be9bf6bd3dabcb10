import { described, ipv4OrCidr, port, protocol } from "./values.ts";

/** The source fields that all kinds of address translation share, in the order of their schemas. */
export const translationSource = {
  src_ip: described(ipv4OrCidr, "The source: an IPv4 address or network."),
  src_dip: described(ipv4OrCidr, "SNAT: the new source address. DNAT: the original destination address."),
};

/** The source ports and the protocol, which all kinds of address translation share. */
export const translationPorts = {
  src_port: described(port, "The source port."),
  src_dport: described(port, "SNAT: the new source port. DNAT: the original destination port."),
  proto: described(protocol, "The protocol."),
};

/** The destination fields that all kinds of address translation share. */
export const translationDestination = {
  dest_ip: described(ipv4OrCidr, "DNAT: the new destination address. SNAT: the original destination address."),
  dest_port: described(port, "DNAT: the new destination port. SNAT: the original destination port."),
};

/** The names of all fields that the kinds of address translation share. */
export const translationFields: readonly string[] = Object.keys({
  ...translationSource,
  ...translationPorts,
  ...translationDestination,
});
