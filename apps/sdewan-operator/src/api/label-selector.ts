import { Type } from "typebox";
import { described } from "./values.ts";

/** A label selector, as Kubernetes writes it. */
export const labelSelector = (description: string) =>
  Type.Object(
    {
      matchLabels: Type.Optional(
        described(Type.Record(Type.String(), Type.String()), "Labels that must be there, with these values."),
      ),
      matchExpressions: Type.Optional(
        Type.Array(
          Type.Object({
            key: described(Type.String(), "The label."),
            operator: Type.String({ description: "In, NotIn, Exists or DoesNotExist." }),
            values: Type.Optional(described(Type.Array(Type.String()), "For In and NotIn: its values.")),
          }),
          { description: "Requirements that all must hold." },
        ),
      ),
    },
    { description },
  );
