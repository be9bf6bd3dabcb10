import { type Static, Type } from "typebox";
import { addressFamily, described, ipv4OrCidr, mac, port, protocol } from "../values.ts";

/** FirewallSNAT and FirewallDNAT have the same fields. */
export const redirectSpec = Type.Partial(
  Type.Object({
    name: Type.String({ description: "Not used: the redirect is named like the object." }),
    src: Type.String({ description: "The name of a FirewallZone of the same CNF." }),
    src_ip: described(ipv4OrCidr, "The source, an IPv4 address or network."),
    src_dip: described(
      ipv4OrCidr,
      "SNAT: the address that the source becomes. DNAT: the destination that traffic has.",
    ),
    src_mac: described(mac, "The MAC address that traffic comes from."),
    src_port: described(port, "The source port."),
    src_dport: described(port, "SNAT: the port that the source becomes. DNAT: the destination port that traffic has."),
    proto: described(protocol, "The protocol."),
    dest: Type.String({ description: "The name of a FirewallZone of the same CNF." }),
    dest_ip: described(
      ipv4OrCidr,
      "DNAT: the address that the destination becomes. SNAT: the destination that traffic has.",
    ),
    dest_port: described(
      port,
      "DNAT: the port that the destination becomes. SNAT: the destination port that traffic has.",
    ),
    mark: described(Type.String(), "The firewall mark that traffic has."),
    target: Type.String({ description: "Not used: the kind says it." }),
    family: described(addressFamily, "The IP versions that it is for."),
  }),
);

export type RedirectSpec = Static<typeof redirectSpec>;
