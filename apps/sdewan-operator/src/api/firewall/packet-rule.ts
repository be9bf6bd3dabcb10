import { type Static, Type } from "typebox";
import {
  addressFamily,
  described,
  icmpType,
  iptablesArguments,
  ipv4OrCidr,
  mac,
  matchedMark,
  port,
  protocol,
  type referredName,
  ruleTarget,
  setMark,
} from "../values.ts";

/** FirewallRule and NetworkFirewallRule have the same fields; they differ in what `src` and `dest` name. */
export const packetRuleSpec = (place: typeof referredName) =>
  Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the rule is named like the object." }),
      src: place,
      src_ip: described(ipv4OrCidr, "The source, an IPv4 address or network."),
      src_mac: described(mac, "The MAC address that traffic comes from."),
      src_port: described(port, "The source port."),
      proto: described(protocol, "The protocol."),
      icmp_type: described(Type.Array(icmpType), "For the protocol icmp: the types that it is for."),
      dest: place,
      dest_ip: described(ipv4OrCidr, "The destination, an IPv4 address or network."),
      dest_port: described(port, "The destination port."),
      mark: described(matchedMark, "The firewall mark that traffic has."),
      target: described(ruleTarget, "What becomes of the traffic. MARK needs set_mark or set_xmark."),
      set_mark: described(setMark, "For MARK: the mark that traffic gets."),
      set_xmark: described(setMark, "For MARK: the mark that traffic gets, with a mask."),
      family: described(addressFamily, "The IP versions that it is for."),
      extra: described(iptablesArguments, "Further arguments of iptables."),
    }),
  );

export type PacketRuleSpec = Static<ReturnType<typeof packetRuleSpec>>;
