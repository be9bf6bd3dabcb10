import { type Static, Type } from "typebox";
import { described } from "./values.ts";

const condition = Type.Object(
  {
    type: Type.String({ description: "Ready, Reachable or Effective." }),
    status: described(Type.Enum(["True", "False", "Unknown"]), "The status of the condition: True, False or Unknown."),
    observedGeneration: Type.Optional(
      Type.Integer({ format: "int64", description: "The generation that the condition refers to." }),
    ),
    lastTransitionTime: Type.String({
      format: "date-time",
      description: "The time at which the condition's status last changed.",
    }),
    reason: Type.String({ description: "The reason, in one word." }),
    message: Type.String({ description: "A human-readable explanation." }),
  },
  { description: "One aspect of the object." },
);

/** Status fields shared by all kinds, so that tools can wait for objects of any kind in the same way. */
export const conditionFields = {
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "The generation that the conditions refer to." }),
  ),
  conditions: Type.Optional(
    Type.Array(condition, {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      description:
        "Ready: the CNF has what the spec describes. Reachable: the CNF responds. Effective: the object has an effect on packets.",
    }),
  ),
};

type StatusCondition = Static<typeof condition>;

/** The status fields that {@link conditionFields} describes. */
export interface ConditionStatus {
  observedGeneration?: number | undefined;
  conditions?: StatusCondition[] | undefined;
}
