import { type Static, Type } from "typebox";
import { described } from "./values.ts";

const condition = Type.Object(
  {
    type: Type.String({ description: "Ready or Reachable." }),
    status: described(Type.Enum(["True", "False", "Unknown"]), "Whether it is so."),
    observedGeneration: Type.Optional(
      Type.Integer({ format: "int64", description: "The generation that it was said of." }),
    ),
    lastTransitionTime: Type.String({ format: "date-time", description: "When its status last changed." }),
    reason: Type.String({ description: "Why, in one word." }),
    message: Type.String({ description: "Why, for people." }),
  },
  { description: "One aspect of the object." },
);

/** What every status has beside its own fields, so that what waits for objects of any kind can wait for these. */
export const conditionFields = {
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", description: "The generation that the conditions are about." }),
  ),
  conditions: Type.Optional(
    Type.Array(condition, {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      description: "Ready: it is in force as the spec says. Reachable: its CNF answers.",
    }),
  ),
};

type StatusCondition = Static<typeof condition>;

/** The fields of a status that {@link conditionFields} describes. */
export interface ConditionStatus {
  observedGeneration?: number | undefined;
  conditions?: StatusCondition[] | undefined;
}
