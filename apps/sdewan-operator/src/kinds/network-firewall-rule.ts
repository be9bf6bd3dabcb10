import { NetworkFirewallRule } from "../api/firewall/network-firewall-rule.ts";
import { cnfKind } from "./cnf-kind.ts";
import { packetRule } from "./packet-rule.ts";

export const networkFirewallRule = cnfKind({
  kind: NetworkFirewallRule,
  config: "networkfirewall",
  collection: "rules",
  finalizer: "networkfirewallrule",
  rank: 2,
  toUci: ({ spec }) => packetRule(spec),
});
