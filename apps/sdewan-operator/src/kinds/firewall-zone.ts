import { FirewallZone } from "../api/firewall/firewall-zone.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { zoneName } from "../uci/cnf-name.ts";
import { listOrNull, texts } from "../uci/uci-object.ts";

const flags = ["masq", "masq_allow_invalid", "mtu_fix"];
const policies = ["input", "forward", "output", "family"];

export const firewallZone = cnfKind({
  kind: FirewallZone,
  config: "firewall",
  collection: "zones",
  finalizer: "rule",
  rank: 0,
  precedence: "first",
  nameOnCnf: zoneName,
  toUci: ({ spec }, cnf) => ({
    ...texts(spec ?? {}, [...flags, ...policies, "extra_src", "etra_dest"]),
    network: (spec?.network ?? []).map((network) => cnf.interfaceOf(network)),
    masq_src: listOrNull(spec?.masq_src),
    masq_dest: listOrNull(spec?.masq_dest),
    subnet: listOrNull(spec?.subnet),
  }),
});
