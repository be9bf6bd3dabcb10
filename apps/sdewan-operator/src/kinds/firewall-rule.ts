import { FirewallRule } from "../api/firewall/firewall-rule.ts";
import { cnfKind } from "./cnf-kind.ts";
import { cnfReference } from "./cnf-name.ts";
import { packetRule } from "./packet-rule.ts";

export const firewallRule = cnfKind({
  kind: FirewallRule,
  config: "firewall",
  collection: "rules",
  finalizer: "rule",
  rank: 1,
  toUci: ({ spec }) => ({
    ...packetRule(spec),
    src: cnfReference("FirewallZone", spec?.src),
    dest: cnfReference("FirewallZone", spec?.dest),
  }),
});
