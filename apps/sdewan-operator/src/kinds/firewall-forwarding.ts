import { FirewallForwarding } from "../api/firewall/firewall-forwarding.ts";
import { cnfKind } from "./cnf-kind.ts";
import { cnfReference } from "./cnf-name.ts";
import { texts } from "./uci-object.ts";

export const firewallForwarding = cnfKind({
  kind: FirewallForwarding,
  config: "firewall",
  collection: "forwardings",
  finalizer: "forwarding",
  rank: 1,
  toUci: ({ spec }) => ({
    ...texts(spec ?? {}, ["family"]),
    src: cnfReference("FirewallZone", spec?.src),
    dest: cnfReference("FirewallZone", spec?.dest),
  }),
});
