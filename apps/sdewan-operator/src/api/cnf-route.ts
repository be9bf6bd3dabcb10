import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { ruleKind } from "./rule-kind.ts";
import { destination, ipv4 } from "./values.ts";

export const CNFRoute = defineKind({
  ...ruleKind,
  kind: "CNFRoute",
  description: "A route of the CNF.",
  spec: Type.Partial(
    Type.Object({
      dst: destination,
      gw: ipv4,
      dev: Type.String({ description: "An interface of the CNF, #default, or # and an address." }),
      table: Type.Enum(["default", "cnf"]),
    }),
  ),
});
export type CNFRoute = ObjectOf<typeof CNFRoute>;
