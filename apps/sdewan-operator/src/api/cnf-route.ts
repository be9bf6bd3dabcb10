import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "./define-rule-kind.ts";
import { object, text } from "./schema.ts";
import { destination, exactlyOneOf, ipv4 } from "./values.ts";

export const CNFRoute = defineRuleKind({
  kind: "CNFRoute",
  plural: "cnfroutes",
  description: "A route of the CNF.",
  spec: object(
    {},
    {
      dst: destination(),
      gw: ipv4(),
      dev: text({ description: "An interface of the CNF, #default, or # and an address." }),
      table: exactlyOneOf("default", "cnf"),
    },
  ),
});
export type CNFRoute = ObjectOf<typeof CNFRoute>;
