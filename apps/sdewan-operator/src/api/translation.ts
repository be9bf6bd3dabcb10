import { described, ipv4OrCidr, port, protocol } from "./values.ts";

/** Source fields shared by all kinds of address translation, in the same order as in the schemas. */
export const translationSource = {
  src_ip: described(ipv4OrCidr, "The source: an IPv4 address or network."),
  src_dip: described(ipv4OrCidr, "SNAT: the new source address. DNAT: the original destination address."),
};

/** Source ports and protocol, shared by all kinds of address translation. */
export const translationPorts = {
  src_port: described(port, "The source port."),
  src_dport: described(port, "SNAT: the new source port. DNAT: the original destination port."),
  proto: described(protocol, "The protocol."),
};

/** Destination fields shared by all kinds of address translation. */
export const translationDestination = {
  dest_ip: described(ipv4OrCidr, "DNAT: the new destination address. SNAT: the original destination address."),
  dest_port: described(port, "DNAT: the new destination port. SNAT: the original destination port."),
};

/** Names of all fields shared by the kinds of address translation. */
export const translationFields: readonly string[] = Object.keys({
  ...translationSource,
  ...translationPorts,
  ...translationDestination,
});
