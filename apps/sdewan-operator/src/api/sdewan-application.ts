import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { labelSelector } from "./label-selector.ts";
import { ruleKind } from "./rule-kind.ts";

export const SdewanApplication = defineKind({
  ...ruleKind,
  kind: "SdewanApplication",
  description: "Routes the traffic of an application's pods through the CNF.",
  spec: Type.Partial(
    Type.Object({
      podSelector: labelSelector("The application's pods."),
      appNamespace: Type.String({ description: "Where they are; empty means every namespace." }),
      servicePort: Type.String(),
      cnfPort: Type.String(),
    }),
  ),
});
export type SdewanApplication = ObjectOf<typeof SdewanApplication>;
