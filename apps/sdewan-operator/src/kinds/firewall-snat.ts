import { FirewallSNAT } from "../api/firewall/firewall-snat.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { redirect } from "./redirect.ts";

export const firewallSnat = cnfKind({
  kind: FirewallSNAT,
  config: "firewall",
  collection: "redirects",
  finalizer: "snat",
  rank: 1,
  precedence: "first",
  toUci: ({ spec }) => redirect(spec, "SNAT"),
});
