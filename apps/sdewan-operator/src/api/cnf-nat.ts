import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { orderedRuleKind } from "./rule-kind.ts";
import { natRules } from "./rules.ts";
import { translationDestination, translationPorts, translationSource } from "./translation.ts";
import { described, natInterface, naturalNumber, oneOf } from "./values.ts";

/** An address translation on a CNF interface. The operator creates one object in the `nat/v1/nats` collection. */
export const CNFNAT = defineKind({
  ...orderedRuleKind,
  kind: "CNFNAT",
  description: "An address translation on an interface of the CNF.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({ description: "Not used: the translation has the name of this object." }),
      src: described(natInterface, "An interface of the CNF, #default or #source."),
      ...translationSource,
      ...translationPorts,
      dest: described(natInterface, "An interface of the CNF, #default or #source."),
      ...translationDestination,
      target: described(
        oneOf("DNAT", "SNAT", "MASQUERADE"),
        "The translation. DNAT needs dest_ip or dest_port, SNAT needs src_dip and dest, MASQUERADE needs dest.",
      ),
      index: described(naturalNumber, "Position in the chain. If empty or 0, the translation is added at the end."),
    }),
  ),
  rules: { spec: natRules },
});
export type CNFNAT = ObjectOf<typeof CNFNAT>;
