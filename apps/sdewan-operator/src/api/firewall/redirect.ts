import { type Static, Type } from "typebox";
import { addressFamily, ipv4OrCidr, mac, port, protocol } from "../values.ts";

/** FirewallSNAT and FirewallDNAT have the same fields. */
export const redirectSpec = Type.Partial(
  Type.Object({
    name: Type.String({ description: "Not used: the redirect is named like the object." }),
    src: Type.String({ description: "The name of a FirewallZone of the same CNF." }),
    src_ip: ipv4OrCidr,
    src_dip: ipv4OrCidr,
    src_mac: mac,
    src_port: port,
    src_dport: port,
    proto: protocol,
    dest: Type.String({ description: "The name of a FirewallZone of the same CNF." }),
    dest_ip: ipv4OrCidr,
    dest_port: port,
    mark: Type.String(),
    target: Type.String({ description: "Not used: the kind says it." }),
    family: addressFamily,
  }),
);

export type RedirectSpec = Static<typeof redirectSpec>;
