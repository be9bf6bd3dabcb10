import { Type } from "typebox";

/** A label selector, as Kubernetes writes it. */
export const labelSelector = (description: string) =>
  Type.Object(
    {
      matchLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
      matchExpressions: Type.Optional(
        Type.Array(
          Type.Object({
            key: Type.String(),
            operator: Type.String({ description: "In, NotIn, Exists or DoesNotExist." }),
            values: Type.Optional(Type.Array(Type.String())),
          }),
        ),
      ),
    },
    { description },
  );
