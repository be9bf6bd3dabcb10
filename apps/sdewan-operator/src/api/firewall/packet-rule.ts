import { type Static, Type } from "typebox";
import { addressFamily, described, icmpType, ipv4OrCidr, mac, port, protocol, ruleTarget } from "../values.ts";

/** FirewallRule and NetworkFirewallRule have the same fields; they differ in what `src` and `dest` name. */
export const packetRuleSpec = (what: string) =>
  Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the rule is named like the object." }),
      src: Type.String({ description: what }),
      src_ip: described(ipv4OrCidr, "The source, an IPv4 address or network."),
      src_mac: described(mac, "The MAC address that traffic comes from."),
      src_port: described(port, "The source port."),
      proto: described(protocol, "The protocol."),
      icmp_type: described(Type.Array(icmpType), "For the protocol icmp: the types that it is for."),
      dest: Type.String({ description: what }),
      dest_ip: described(ipv4OrCidr, "The destination, an IPv4 address or network."),
      dest_port: described(port, "The destination port."),
      mark: described(Type.String(), "The firewall mark that traffic has."),
      target: described(ruleTarget, "What becomes of the traffic. MARK needs set_mark or set_xmark."),
      set_mark: described(Type.String(), "For MARK: the mark that traffic gets."),
      set_xmark: described(Type.String(), "For MARK: the mark that traffic gets, with a mask."),
      family: described(addressFamily, "The IP versions that it is for."),
      extra: described(Type.String(), "Further arguments of iptables."),
    }),
  );

export type PacketRuleSpec = Static<ReturnType<typeof packetRuleSpec>>;
