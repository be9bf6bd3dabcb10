import { list, object, text, type ValueOf } from "../schema.ts";
import { addressFamily, icmpType, ipv4OrCidr, mac, port, protocol, ruleTarget } from "../values.ts";

/** FirewallRule and NetworkFirewallRule have the same fields; they differ in what `src` and `dest` name. */
export const packetRuleSpec = (what: string) =>
  object(
    {},
    {
      name: text({ description: "Not used: the rule is named like the object." }),
      src: text({ description: what }),
      src_ip: ipv4OrCidr(),
      src_mac: mac(),
      src_port: port(),
      proto: protocol(),
      icmp_type: list(icmpType()),
      dest: text({ description: what }),
      dest_ip: ipv4OrCidr(),
      dest_port: port(),
      mark: text(),
      target: ruleTarget(),
      set_mark: text(),
      set_xmark: text(),
      family: addressFamily(),
      extra: text(),
    },
  );

export type PacketRuleSpec = ValueOf<ReturnType<typeof packetRuleSpec>>;
