import { type Static, Type } from "typebox";
import { described } from "./values.ts";

const condition = Type.Object(
  {
    type: Type.String({ description: "Ready or Reachable." }),
    status: described(Type.Enum(["True", "False", "Unknown"]), "Whether the condition holds."),
    observedGeneration: Type.Optional(
      Type.Integer({ format: "int64", description: "The generation that the condition refers to." }),
    ),
    lastTransitionTime: Type.String({
      format: "date-time",
      description: "When the status of the condition last changed.",
    }),
    reason: Type.String({ description: "The reason, in one word." }),
    message: Type.String({ description: "The reason, for people." }),
  },
  { description: "One aspect of the object." },
);

/** Fields that every status has in addition to its own, so that tools can wait for objects of any kind in the same way. */
export const conditionFields = {
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "The generation that the conditions refer to." }),
  ),
  conditions: Type.Optional(
    Type.Array(condition, {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      description: "Ready: the spec is in force. Reachable: the CNF answers.",
    }),
  ),
};

type StatusCondition = Static<typeof condition>;

/** The fields of a status that {@link conditionFields} describes. */
export interface ConditionStatus {
  observedGeneration?: number | undefined;
  conditions?: StatusCondition[] | undefined;
}
