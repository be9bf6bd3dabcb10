import { FirewallDNAT } from "../api/firewall/firewall-dnat.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { redirect } from "./redirect.ts";

export const firewallDnat = cnfKind({
  kind: FirewallDNAT,
  config: "firewall",
  collection: "redirects",
  finalizer: "dnat",
  rank: 1,
  precedence: "first",
  toUci: ({ spec }) => redirect(spec, "DNAT"),
});
