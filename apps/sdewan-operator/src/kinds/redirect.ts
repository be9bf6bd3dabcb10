import type { DeepReadonly } from "@kubewright/apimachinery";
import type { RedirectSpec } from "../api/firewall/redirect.ts";
import { cnfReference } from "../uci/cnf-name.ts";
import { texts, type UciObject } from "../uci/uci-object.ts";
import { firewallZone } from "./firewall-zone.ts";

const source = ["src_ip", "src_dip", "src_mac", "src_port", "src_dport"];
const others = ["proto", "dest_ip", "dest_port", "mark", "family"];

/** The kind says the target, whatever the spec does. */
export const redirect = (spec: DeepReadonly<RedirectSpec> | undefined, target: "SNAT" | "DNAT"): UciObject => ({
  ...texts(spec ?? {}, [...source, ...others]),
  src: cnfReference(firewallZone, spec?.src),
  dest: cnfReference(firewallZone, spec?.dest),
  target,
});
