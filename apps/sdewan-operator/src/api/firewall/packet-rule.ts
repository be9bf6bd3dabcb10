import { type Static, Type } from "typebox";
import { addressFamily, icmpType, ipv4OrCidr, mac, port, protocol, ruleTarget } from "../values.ts";

/** FirewallRule and NetworkFirewallRule have the same fields; they differ in what `src` and `dest` name. */
export const packetRuleSpec = (what: string) =>
  Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the rule is named like the object." }),
      src: Type.String({ description: what }),
      src_ip: ipv4OrCidr,
      src_mac: mac,
      src_port: port,
      proto: protocol,
      icmp_type: Type.Array(icmpType),
      dest: Type.String({ description: what }),
      dest_ip: ipv4OrCidr,
      dest_port: port,
      mark: Type.String(),
      target: ruleTarget,
      set_mark: Type.String(),
      set_xmark: Type.String(),
      family: addressFamily,
      extra: Type.String(),
    }),
  );

export type PacketRuleSpec = Static<ReturnType<typeof packetRuleSpec>>;
