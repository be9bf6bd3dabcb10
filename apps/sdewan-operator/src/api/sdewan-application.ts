import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { labelSelector } from "./label-selector.ts";
import { ruleKind } from "./rule-kind.ts";
import { described, plainText } from "./values.ts";

/**
 * Pods whose traffic a CNF routes. The operator creates one object in the `application/v1/applications` collection, and
 * updates it when the pods' addresses change.
 */
export const SdewanApplication = defineKind({
  ...ruleKind,
  kind: "SdewanApplication",
  description: "Routes the traffic of an application's pods through the CNF.",
  spec: Type.Partial(
    Type.Object({
      podSelector: labelSelector("The application's pods."),
      appNamespace: described(plainText, "The namespace of the pods. Default: all namespaces."),
      servicePort: described(plainText, "The port of the application."),
      cnfPort: described(plainText, "The port of the CNF."),
    }),
  ),
});
export type SdewanApplication = ObjectOf<typeof SdewanApplication>;
