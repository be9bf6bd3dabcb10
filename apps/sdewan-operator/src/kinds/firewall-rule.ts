import { FirewallRule } from "../api/firewall/firewall-rule.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { firewallZone } from "./firewall-zone.ts";
import { packetRule } from "./packet-rule.ts";

export const firewallRule = cnfKind({
  kind: FirewallRule,
  config: "firewall",
  collection: "rules",
  finalizer: "rule",
  rank: 1,
  precedence: "first",
  toUci: ({ spec }) => ({
    ...packetRule(spec),
    src: cnfReference(firewallZone, spec?.src),
    dest: cnfReference(firewallZone, spec?.dest),
  }),
});
