import type { DeepReadonly } from "@kubewright/apimachinery";
import { FirewallDNAT, FirewallSNAT, type RedirectSpec } from "../api/firewall/firewall-nat.ts";
import { translationFields } from "../api/translation.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { texts, type UciObject } from "../uci/uci-object.ts";
import { firewallZone } from "./firewall-zone.ts";

/** Returns the redirect object. The kind determines the target, regardless of the spec. */
const redirect = (spec: DeepReadonly<RedirectSpec> | undefined, target: "SNAT" | "DNAT"): UciObject => ({
  ...texts(spec ?? {}, [...translationFields, "src_mac", "mark", "family"]),
  src: cnfReference(firewallZone, spec?.src),
  dest: cnfReference(firewallZone, spec?.dest),
  target,
});

export const firewallDnat = cnfKind({
  kind: FirewallDNAT,
  config: "firewall",
  collection: "redirects",
  finalizer: "dnat",
  rank: 1,
  precedence: "first",
  toUci: ({ spec }) => redirect(spec, "DNAT"),
});

export const firewallSnat = cnfKind({
  kind: FirewallSNAT,
  config: "firewall",
  collection: "redirects",
  finalizer: "snat",
  rank: 1,
  precedence: "first",
  toUci: ({ spec }) => redirect(spec, "SNAT"),
});
