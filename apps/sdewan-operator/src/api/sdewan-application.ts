import type { ObjectOf } from "@kubewright/apimachinery";
import { defineRuleKind } from "./define-rule-kind.ts";
import { labelSelector } from "./label-selector.ts";
import { object, text } from "./schema.ts";

export const SdewanApplication = defineRuleKind({
  kind: "SdewanApplication",
  plural: "sdewanapplications",
  description: "Routes the traffic of an application's pods through the CNF.",
  spec: object(
    {},
    {
      podSelector: labelSelector("The application's pods."),
      appNamespace: text({ description: "Where they are; empty means every namespace." }),
      servicePort: text(),
      cnfPort: text(),
    },
  ),
});
export type SdewanApplication = ObjectOf<typeof SdewanApplication>;
