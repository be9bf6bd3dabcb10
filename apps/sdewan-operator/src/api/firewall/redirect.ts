import { object, text, type ValueOf } from "../schema.ts";
import { addressFamily, ipv4OrCidr, mac, port, protocol } from "../values.ts";

/** FirewallSNAT and FirewallDNAT have the same fields. */
export const redirectSpec = () =>
  object(
    {},
    {
      name: text({ description: "Not used: the redirect is named like the object." }),
      src: text({ description: "The name of a FirewallZone of the same CNF." }),
      src_ip: ipv4OrCidr(),
      src_dip: ipv4OrCidr(),
      src_mac: mac(),
      src_port: port(),
      src_dport: port(),
      proto: protocol(),
      dest: text({ description: "The name of a FirewallZone of the same CNF." }),
      dest_ip: ipv4OrCidr(),
      dest_port: port(),
      mark: text(),
      target: text({ description: "Not used: the kind says it." }),
      family: addressFamily(),
    },
  );

export type RedirectSpec = ValueOf<ReturnType<typeof redirectSpec>>;
