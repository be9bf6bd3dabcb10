import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "./define-rule-kind.ts";
import { integer, list, object, text } from "./schema.ts";

export const Mwan3Policy = defineRuleKind({
  kind: "Mwan3Policy",
  plural: "mwan3policies",
  description: "Shares traffic between networks of the CNF.",
  spec: object(
    {
      members: list(
        object(
          { network: text(), metric: integer({ minimum: 1 }), weight: integer({ minimum: 1 }) },
          {},
          "A network, by the name under which it is attached to the CNF.",
        ),
        { minItems: 1 },
      ),
    },
    {},
  ),
});
export type Mwan3Policy = ObjectOf<typeof Mwan3Policy>;
