import { FirewallForwarding } from "../api/firewall/firewall-forwarding.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { texts } from "../uci/uci-object.ts";
import { firewallZone } from "./firewall-zone.ts";

export const firewallForwarding = cnfKind({
  kind: FirewallForwarding,
  config: "firewall",
  collection: "forwardings",
  finalizer: "forwarding",
  rank: 1,
  toUci: ({ spec }) => ({
    ...texts(spec ?? {}, ["family"]),
    src: cnfReference(firewallZone, spec?.src),
    dest: cnfReference(firewallZone, spec?.dest),
  }),
});
