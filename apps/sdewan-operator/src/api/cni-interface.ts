import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Type } from "typebox";
import { group, version } from "./group.ts";
import { labelSelector } from "./label-selector.ts";
import { interfaceStatus } from "./status.ts";
import { interfaceNamePattern, upOrDownPattern } from "./values.ts";

/**
 * A network interface of a CNF pod. The status shows the interface's state. `spec.status` (`up` or `down`,
 * case-insensitive) brings the interface up or down.
 */
export const CniInterface = defineKind({
  group,
  version,
  kind: "CniInterface",
  scope: "Namespaced",
  description: "Shows a network interface of a CNF pod and switches it up or down.",
  spec: Type.Partial(
    Type.Object({
      name: Type.String({
        pattern: interfaceNamePattern,
        description: "The interface inside the pod, such as eth0.",
      }),
      status: Type.String({
        pattern: upOrDownPattern,
        description: "The desired state, up or down. If empty, the interface is only shown.",
      }),
      mac_address: Type.String({ description: "Not used." }),
      ip_address: Type.Array(Type.String(), { description: "Not used." }),
      cnfSelector: labelSelector(
        "Selects the CNF pod, in the namespace of this object. An empty selector selects no pod.",
      ),
    }),
  ),
  specRequired: false,
  status: interfaceStatus,
  columns: [
    { name: "Interface", type: "string", jsonPath: ".spec.name" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Addresses", type: "string", jsonPath: ".status.ip_address" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CniInterface = ObjectOf<typeof CniInterface>;
