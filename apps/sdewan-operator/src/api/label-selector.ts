import { Type } from "typebox";
import { described } from "./values.ts";

/** Returns the schema for a Kubernetes label selector. */
export const labelSelector = (description: string) =>
  Type.Object(
    {
      matchLabels: Type.Optional(
        described(Type.Record(Type.String(), Type.String()), "Labels that objects must have, with their values."),
      ),
      matchExpressions: Type.Optional(
        Type.Array(
          Type.Object({
            key: described(Type.String(), "The label."),
            operator: Type.String({ description: "In, NotIn, Exists or DoesNotExist." }),
            values: Type.Optional(described(Type.Array(Type.String()), "The values for In and NotIn.")),
          }),
          { description: "Requirements, all of which must hold." },
        ),
      ),
    },
    { description },
  );
