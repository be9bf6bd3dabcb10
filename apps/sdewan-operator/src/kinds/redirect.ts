import type { DeepReadonly } from "@kubewright/apimachinery";
import type { RedirectSpec } from "../api/firewall/redirect.ts";
import { translationFields } from "../api/translation.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { texts, type UciObject } from "../uci/uci-object.ts";
import { firewallZone } from "./firewall-zone.ts";

/** Returns the redirect object. The kind determines the target, regardless of the spec. */
export const redirect = (spec: DeepReadonly<RedirectSpec> | undefined, target: "SNAT" | "DNAT"): UciObject => ({
  ...texts(spec ?? {}, [...translationFields, "src_mac", "mark", "family"]),
  src: cnfReference(firewallZone, spec?.src),
  dest: cnfReference(firewallZone, spec?.dest),
  target,
});
