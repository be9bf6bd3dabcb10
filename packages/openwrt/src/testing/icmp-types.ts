import type { Validator } from "./field-table.ts";
import { oneOf } from "./validators.ts";

const names = `address-mask-reply address-mask-request any communication-prohibited destination-unreachable echo-reply
  echo-request fragmentation-needed host-precedence-violation host-prohibited host-redirect host-unknown host-unreachable
  ip-header-bad network-prohibited network-redirect network-unknown network-unreachable parameter-problem ping pong
  port-unreachable precedence-cutoff protocol-unreachable redirect required-option-missing router-advertisement
  router-solicitation source-quench source-route-failed time-exceeded timestamp-reply timestamp-request TOS-host-redirect
  TOS-host-unreachable TOS-network-redirect TOS-network-unreachable ttl-exceeded ttl-zero-during-reassembly
  ttl-zero-during-transit`.split(/\s+/);

/** Matches the ICMP type names that iptables supports. */
export const icmpType: Validator = oneOf(...names);

/**
 * Matches the ICMP type names that rules in the firewall configuration accept. The reference CNF misspells one name and
 * therefore rejects it.
 */
export const icmpTypeOfFirewallRule: Validator = (value, cnf) =>
  icmpType(value, cnf) === true && !(cnf.quirks && value === "address-mask-request");
