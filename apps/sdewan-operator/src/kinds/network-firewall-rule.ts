import { NetworkFirewallRule } from "../api/firewall/network-firewall-rule.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { packetRule } from "./packet-rule.ts";

export const networkFirewallRule = cnfKind({
  kind: NetworkFirewallRule,
  config: "networkfirewall",
  collection: "rules",
  rank: 2,
  precedence: "first",
  toUci: ({ spec }) => packetRule(spec),
});
