import { list, mapOf, object, text } from "./schema.ts";

/** A label selector, as Kubernetes writes it. */
export const labelSelector = (description: string) =>
  object(
    {},
    {
      matchLabels: mapOf(text()),
      matchExpressions: list(
        object(
          { key: text(), operator: text({ description: "In, NotIn, Exists or DoesNotExist." }) },
          { values: list(text()) },
        ),
      ),
    },
    description,
  );
