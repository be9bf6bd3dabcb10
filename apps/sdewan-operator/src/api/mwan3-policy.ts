import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { described, referredName } from "./values.ts";

const member = Type.Object(
  {
    metric: Type.Integer({
      minimum: 1,
      description: "Priority. Traffic uses the working networks with the lowest number.",
    }),
    network: described(referredName, "The name under which the network is attached to the CNF."),
    weight: Type.Integer({
      minimum: 1,
      description: "The network's share of the traffic among networks with the same metric.",
    }),
  },
  { description: "A network, by the name under which it is attached to the CNF." },
);

/**
 * Distributes traffic among a CNF's networks. The operator creates one object in the `mwan3/v1/policies` collection.
 */
export const Mwan3Policy = defineKind({
  ...ruleKind,
  kind: "Mwan3Policy",
  description: "Shares traffic between networks of the CNF.",
  spec: Type.Object({ members: Type.Array(member, { minItems: 1, description: "The networks." }) }),
});
export type Mwan3Policy = ObjectOf<typeof Mwan3Policy>;
